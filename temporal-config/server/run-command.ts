import { execFile } from 'node:child_process';
import { isNativeError } from 'node:util/types';
import type { Environment } from './environment';

export interface CommandOptions {
  readonly env?: Environment;
  readonly cwd?: string;
  readonly timeoutMs?: number;
}

/** Standard output of a short command. Rejects with what the command said, not with its whole command line. */
export async function runCommand(file: string, args: readonly string[], options: CommandOptions = {}): Promise<string> {
  const { env = process.env, cwd, timeoutMs = 10_000 } = options;
  return new Promise((resolve, reject) => {
    execFile(file, args, { env, cwd, timeout: timeoutMs, maxBuffer: 16 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (!error) resolve(stdout);
      else if (error.killed) reject(new Error(`no answer within ${timeoutMs / 1000} s`));
      else reject(new Error(stderr.trim() || error.message));
    });
  });
}

export function reasonOf(error: unknown): string {
  if (!isNativeError(error)) return String(error);
  // `fetch` says only "fetch failed"; what the network said is one level down.
  if (isNativeError(error.cause)) return reasonOf(error.cause);
  // Several addresses that all refused make an error without words.
  return error.message || ((error as NodeJS.ErrnoException).code ?? error.name);
}
