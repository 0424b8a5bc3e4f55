import { execFile } from 'node:child_process';
import { isNativeError } from 'node:util/types';
import type { Environment } from '../node/environment';

/** Options of `runCommand`. `env` defaults to the process's environment, `timeoutMs` to 10 seconds. */
export interface CommandOptions {
  readonly env?: Environment;
  readonly cwd?: string;
  readonly timeoutMs?: number;
}

/**
 * Runs a short command and returns its standard output. Rejects with the command's error output, without its command
 * line.
 */
export async function runCommand(file: string, args: readonly string[], options: CommandOptions = {}): Promise<string> {
  const { env = process.env, cwd, timeoutMs = 10_000 } = options;
  return new Promise((resolve, reject) => {
    execFile(file, args, { env, cwd, timeout: timeoutMs, maxBuffer: 16 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (!error) resolve(stdout);
      else if (error.killed) reject(new Error(`no response within ${timeoutMs / 1000} s`));
      else reject(new Error(stderr.trim() || error.message));
    });
  });
}

/** Returns the most informative message of an error. */
export function errorReason(error: unknown): string {
  if (!isNativeError(error)) return String(error);
  // The message of `fetch` is only "fetch failed"; the network error is its cause.
  if (isNativeError(error.cause)) return errorReason(error.cause);
  // If several addresses refused the connection, the error has no message.
  return error.message || ((error as NodeJS.ErrnoException).code ?? error.name);
}
