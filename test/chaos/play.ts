import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ScriptedCall } from '../../scripted-model';
import { Harness, type RunHandle } from '../support/harness';
import { observe, type Observation } from './observe';
import { files, playTree } from './tree';

/** The tree on its way: the run, and every request that the model got so far. */
export interface Play {
  readonly harness: Harness;
  readonly handle: RunHandle;
  readonly asked: readonly ScriptedCall[];
}

/** Starts the tree with a store, a model and a task queue of its own; without a worker the caller brings one. */
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
    // Short, so that a dead worker is noticed soon; not so short that a busy machine is taken for one.
    const tuning = { heartbeatTimeoutMs: 3_000 };
    const handle = await harness.startRun({ goal: 'You are the root.', workspace: { root }, tuning });
    return await watch({ harness, handle, asked });
  } finally {
    await harness.close();
  }
}

/** What the tree comes to when nothing goes wrong. */
export function playUndisturbed(): Promise<Observation> {
  return play(true, ({ harness, handle, asked }) => observe(harness, handle, asked));
}
