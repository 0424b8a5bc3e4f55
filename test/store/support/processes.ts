import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { join } from 'node:path';
import { typescriptHook } from '../../support/paths';

export interface Ended {
  readonly signal: NodeJS.Signals | null;
  readonly result: unknown;
}

/** Runs one action of child.ts to completion. */
export function runChild(action: string, root: string, ...more: readonly string[]): Promise<Ended> {
  return ended(start(action, root, more));
}

/** Runs the same action in several processes that start together. */
export async function runTogether(count: number, action: string, root: string, ...more: string[]): Promise<unknown[]> {
  const children = Array.from({ length: count }, () => start(action, root, more));
  const ends = children.map(ended);
  await Promise.all(children.map((child) => new Promise((ready) => child.stdout.once('data', ready))));
  for (const child of children) child.stdin.write('go\n');
  return (await Promise.all(ends)).map(({ result }) => result);
}

function start(action: string, root: string, more: readonly string[]): ChildProcessWithoutNullStreams {
  const script = ['--require', typescriptHook, join(__dirname, 'child.ts')];
  return spawn(process.execPath, [...script, action, root, ...more]);
}

async function ended(child: ChildProcessWithoutNullStreams): Promise<Ended> {
  let output = '';
  let errors = '';
  child.stdout.on('data', (data: Buffer) => (output += data.toString()));
  child.stderr.on('data', (data: Buffer) => (errors += data.toString()));
  const signal = await new Promise<NodeJS.Signals | null>((resolve, reject) => {
    child.on('close', (code, by) => {
      if (code === null || code === 0) resolve(by);
      else reject(new Error(errors));
    });
  });
  const last = output.replace(/^ready\n/, '');
  return { signal, result: last === '' ? undefined : (JSON.parse(last) as unknown) };
}
