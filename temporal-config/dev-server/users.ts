import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeProcess } from './processes';
import { errorReason } from './run-command';
import { ServerSetupError } from '../node/errors';

/**
 * Registers a use of the server by this process. There is one file per use, because a process may use the server more
 * than once.
 */
export async function registerUser(folder: string): Promise<string> {
  const file = join(folder, `${process.pid}.${randomBytes(4).toString('hex')}`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
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
