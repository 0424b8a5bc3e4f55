import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { seconds } from './statistics';

const reporter = require.resolve('./report-usage');

/** What a process needed, from its start to its exit. */
export interface ProcessUsage {
  readonly seconds: number;
  readonly cpuMilliseconds: number;
  /** The most resident memory at any time. */
  readonly megabytes: number;
}

/** Runs Node.js on these arguments, without its output, and returns what it needed. */
export async function measuredProcess(
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<ProcessUsage> {
  let reported = '';
  const wall = await seconds(async () => {
    const child = spawn(process.execPath, ['-r', reporter, ...args], {
      env: { ...process.env, ...variables },
      stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    });
    [reported] = await Promise.all([text(child.stdio[3] as Readable), once(child, 'exit')]);
    if (child.exitCode !== 0) throw new Error(`${args.join(' ')} exited with code ${child.exitCode}`);
  });
  return { seconds: wall, ...(JSON.parse(reported) as Omit<ProcessUsage, 'seconds'>) };
}
