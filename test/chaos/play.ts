import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ScriptedCall } from '../../testing/scripted-model';
import { Harness, type RunHandle } from '../support/harness';
import { observe, type Observation } from './observe';
import { files, playTree } from './tree';

/** A tree in progress: the run, and every request that the model has received. */
export interface Play {
  readonly harness: Harness;
  readonly handle: RunHandle;
  readonly asked: readonly ScriptedCall[];
}

/** Starts the tree with its own store, model and task queue. Without `withWorker` the caller starts the worker. */
export async function play<T>(withWorker: boolean, watch: (play: Play) => Promise<T>): Promise<T> {
  const asked: ScriptedCall[] = [];
  const harness = await Harness.start(
    (call) => {
      asked.push(call);
      return playTree(call);
    },
    { withWorker },
  );
  try {
    const root = join(harness.folder, 'workspace');
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), content);
    }
    // Short, so that a dead worker is noticed soon, but long enough that a busy machine does not look dead.
    const tuning = { heartbeatTimeoutMs: 3_000 };
    const handle = await harness.startRun({ goal: 'You are the root.', workspace: { root }, tuning });
    return await watch({ harness, handle, asked });
  } finally {
    await harness.close();
  }
}

/** The result of the tree when nothing goes wrong. */
export function playUndisturbed(): Promise<Observation> {
  return play(true, ({ harness, handle, asked }) => observe(harness, handle, asked));
}
