import { pause } from './health';
import { describeProcess } from './processes';

const politeMs = 10_000;

/** Ends a process and all it started in its own group; returns when it is gone. The caller has verified who it is. */
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

/** A detached server leads its own process group; a server behind a wrapper script is in it too. */
function signalGroup(pid: number, signal: NodeJS.Signals): void {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, signal);
      return;
    } catch {
      // Gone already, or not the leader of a group: then the process alone.
    }
  }
}
