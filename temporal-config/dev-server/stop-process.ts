import { pause } from './health';
import { describeProcess } from './processes';

const politeMs = 10_000;

/**
 * Ends a process and its process group, and returns when it has exited. The caller has verified that it is the right
 * process.
 */
export async function stopProcess(pid: number): Promise<void> {
  const began = (await describeProcess(pid))?.began;
  if (began === undefined) return;
  const isGone = async (): Promise<boolean> => (await describeProcess(pid))?.began !== began;
  signalGroup(pid, 'SIGTERM');
  const deadline = Date.now() + politeMs;
  while (Date.now() < deadline) {
    if (await isGone()) return;
    await pause(25);
  }
  signalGroup(pid, 'SIGKILL');
  while (!(await isGone())) await pause(25);
}

/** Signals the process group. A detached server leads its own group; a server behind a wrapper script is in it too. */
function signalGroup(pid: number, signal: NodeJS.Signals): void {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, signal);
      return;
    } catch {
      // The process has exited, or does not lead a group. In the second case the next target is the process alone.
    }
  }
}
