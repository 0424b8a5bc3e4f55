import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { lock } from 'proper-lockfile';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolder } from '../node/make-folder';
import { type Log, ServerSetupError } from '../node/setup-error';
import { describeProcess, errorReason } from './processes';

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
  await makeFolder(dirname(path), { mode: 0o700 });
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
    await sleep(pollEveryMs * (0.5 + Math.random()));
  }
}

/**
 * Registers a use of the server by this process. There is one file per use, because a process may use the server more
 * than once.
 */
export async function registerUser(folder: string): Promise<string> {
  const file = join(folder, `${process.pid}.${randomBytes(4).toString('hex')}`);
  try {
    await makeFolder(folder, { mode: 0o700 });
    await writeFile(file, await beganOf(process.pid), { mode: 0o600 });
  } catch (error) {
    throw new ServerSetupError(
      `Cannot write ${file}: ${errorReason(error)}`,
      'Make the folder writable for this user.',
    );
  }
  return file;
}

/** Returns the number of current uses, after removing those of processes that exited without releasing theirs. */
export async function countUsers(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const alive = await Promise.all(names.map((name) => isInUse(folder, name)));
  return alive.filter(Boolean).length;
}

async function isInUse(folder: string, name: string): Promise<boolean> {
  const file = join(folder, name);
  const registered = await readFile(file, 'utf8').catch(() => '');
  // The pid alone is not sufficient, because the system may have given it to another program.
  if (registered !== '' && registered === (await beganOf(Number.parseInt(name, 10)))) return true;
  await rm(file, { force: true });
  return false;
}

async function beganOf(pid: number): Promise<string> {
  return (await describeProcess(pid))?.began ?? '';
}
