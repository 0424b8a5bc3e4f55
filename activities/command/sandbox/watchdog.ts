import { spawn } from 'node:child_process';

/** A process that cleans up after this one if it is killed. */
export interface Watchdog {
  /** Ends the watchdog without cleaning up. */
  stop(): void;
}

/**
 * Starts a shell that runs `script` when this process ends without having called `stop`. It notices that by the end of
 * its standard input, which also a process that is killed closes.
 */
export function startWatchdog(
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Watchdog {
  const child = spawn('/bin/sh', ['-c', `cat >/dev/null; ${script}`, 'watchdog', ...args], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // A group of its own: it must survive the signal that a terminal sends to all processes of a program.
    detached: true,
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', ...env },
  });
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  child.unref();
  return {
    stop() {
      if (child.pid !== undefined) stopGroup(child.pid);
    },
  };
}

/** The shell and its `cat`. */
function stopGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
