import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Scene } from './scene';

/** What `baton gc` did. */
interface Deletion {
  readonly deleted: readonly string[];
  readonly kept: readonly { readonly runId: string; readonly reason: string }[];
}

const baton = join(__dirname, '..', '..', 'bin', 'baton.js');

/** Deletes the data of runs as a user does, with `baton gc`. */
export async function deleteRuns({ env, folders }: Scene, runIds: readonly string[]): Promise<Deletion> {
  // A run that was cancelled before its first step has stored nothing, and `baton gc` refuses what it does not know.
  const stored = runIds.filter((runId) => existsSync(join(folders.store, 'runs', runId)));
  const empty = runIds.filter((runId) => !stored.includes(runId));
  if (stored.length === 0) return { deleted: empty, kept: [] };
  const { stdout } = await promisify(execFile)(process.execPath, [baton, 'gc', ...stored, '--yes', '--json'], {
    env: { ...process.env, ...env },
    maxBuffer: 64 * 1024 * 1024,
  });
  const { runs, kept } = JSON.parse(stdout) as { runs: readonly { runId: string }[]; kept: Deletion['kept'] };
  return { deleted: [...empty, ...runs.map(({ runId }) => runId)], kept };
}
