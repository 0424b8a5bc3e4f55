import { readFileSync } from 'node:fs';

/** Clock ticks per second in /proc, which every Linux machine has set to this. */
const ticksPerSecond = 100;

/**
 * Returns the processor time of this process and of another one so far, in seconds. Only Linux tells the time of the
 * other one; elsewhere it is left out.
 */
export function cpuSecondsOf(pid: number): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + otherSeconds(pid);
}

function otherSeconds(pid: number): number {
  try {
    // The name of the program, which may contain spaces, ends with the last parenthesis.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  } catch {
    return 0;
  }
}
