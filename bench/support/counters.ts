import { Worker } from '@temporalio/worker';
import { join } from 'node:path';
import { promiseHooks } from 'node:v8';
import type { BenchEnvironment } from './environment';
import { rawBundle } from './workers';

/** What one more turn takes. */
export interface TurnCounts {
  /** Events of history. */
  readonly events: number;
  readonly history_bytes: number;
  /** Calls of the store to the file system. A call takes one or more jobs of libuv. */
  readonly file_calls: number;
  readonly fsyncs: number;
  /** Promises in the sandbox of the workflow. */
  readonly promises: number;
}

/** Plays runs of two lengths and divides the difference by the turns between them. */
export async function countTurn(
  environment: BenchEnvironment,
  kind: 'baton' | 'raw',
  [few, many]: readonly [number, number],
  play: (turns: number) => Promise<string>,
): Promise<TurnCounts> {
  const [first, second] = [await count(environment, kind, few, play), await count(environment, kind, many, play)];
  const perTurn = (counter: keyof TurnCounts): number => (second[counter] - first[counter]) / (many - few);
  return {
    events: perTurn('events'),
    history_bytes: perTurn('history_bytes'),
    file_calls: perTurn('file_calls'),
    fsyncs: perTurn('fsyncs'),
    promises: perTurn('promises'),
  };
}

async function count(
  { client, files }: BenchEnvironment,
  kind: 'baton' | 'raw',
  turns: number,
  play: (turns: number) => Promise<string>,
): Promise<TurnCounts> {
  const before = files.counts();
  const workflowId = await play(turns);
  const after = files.counts();
  const handle = client.workflow.getHandle(workflowId);
  const [{ historySize = 0, historyLength }, history] = await Promise.all([handle.describe(), handle.fetchHistory()]);
  const workflowBundle =
    kind === 'raw' ? await rawBundle() : { codePath: join(__dirname, '..', '..', 'workflow-bundle.js') };
  return {
    events: historyLength,
    history_bytes: historySize,
    file_calls: after.calls - before.calls,
    fsyncs: after.syncs - before.syncs,
    promises: await countPromises(() =>
      // A replay runs the workflow in this thread, where its promises can be seen.
      Worker.runReplayHistory({ workflowBundle }, history, workflowId),
    ),
  };
}

/** Counts the promises that are made in sandboxes of this thread, which have a class `Promise` of their own. */
async function countPromises(work: () => Promise<unknown>): Promise<number> {
  let promises = 0;
  const stop = promiseHooks.onInit((promise) => {
    if (!(promise instanceof Promise)) promises += 1;
  }) as () => void;
  try {
    await work();
  } finally {
    stop();
  }
  return promises;
}
