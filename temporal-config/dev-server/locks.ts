import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { lock } from 'proper-lockfile';
import type { Log } from '../node/environment';
import { ServerSetupError } from '../node/errors';
import { errorReason } from './run-command';

/**
 * Age at which a lock counts as abandoned. Its holder touches it every two seconds, so an older lock belongs to a
 * process that died.
 */
const staleAfterMs = 10_000;
const touchEveryMs = 2_000;
const pollEveryMs = 100;

/** Options of `withLock`. */
export interface LockOptions {
  /** How long to wait for another holder before failing. */
  readonly waitMs: number;
  readonly log?: Log | undefined;
}

/** Runs `work` while no other process on this machine holds the lock at `path`. */
export async function withLock<T>(path: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  const release = await acquire(path, options);
  try {
    return await work();
  } finally {
    // A lock that another process took over, for example after this machine slept, can't be released.
    await release().catch(() => undefined);
  }
}

async function acquire(path: string, { waitMs, log }: LockOptions): Promise<() => Promise<void>> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const deadline = Date.now() + waitMs;
  for (;;) {
    try {
      return await lock(path, {
        lockfilePath: path,
        stale: staleAfterMs,
        update: touchEveryMs,
        realpath: false,
        onCompromised: (error) => log?.(`Lost the lock ${path}: ${error.message}`),
      });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ELOCKED') {
        throw new ServerSetupError(
          `Cannot lock ${path}: ${errorReason(error)}`,
          'Make the folder writable for this user.',
        );
      }
      if (Date.now() > deadline) {
        throw new ServerSetupError(
          `Another process has held ${path} for more than ${Math.round(waitMs / 1000)} s`,
          'Stop that process. If there is none, remove the lock and try again.',
        );
      }
    }
    await new Promise((resolve) => setTimeout(resolve, pollEveryMs * (0.5 + Math.random())));
  }
}
