import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import { workerDataConverter } from '../../worker/plugin/data-conversion';
import { workflowBundle } from './paths';
import { prepareReplays } from './replay-here';

type History = temporal.api.history.v1.IHistory;

export interface Execution {
  readonly workflowId: string;
  readonly history: History;
}

interface ToFetch {
  readonly workflowId: string;
  readonly runId: string;
  /**
   * Whether a history must be in the sample: the requested workflow and session hosts, of which there are few and which
   * all differ.
   */
  readonly always: boolean;
}

const fetchedAtOnce = 8;

/**
 * Fetches every history of a workflow: its chain of executions, and those of its children. Of many similar children, an
 * even sample.
 */
export async function historiesOf(
  client: Client,
  workflowId: string,
  firstRunId?: string,
  most = Number.POSITIVE_INFINITY,
): Promise<Execution[]> {
  const latest = await client.workflow.getHandle(workflowId).describe();
  const first = { workflowId, runId: firstRunId ?? latest.runId, always: true };
  const found: Execution[] = [];
  const seen = new Set<string>();
  for (let wave: ToFetch[] = [first, { ...first, runId: latest.runId }]; wave.length > 0;) {
    const unseen = wave.filter(({ runId }) => !seen.has(runId) && seen.add(runId));
    const histories = await inParallel(sampled(unseen, most - found.length), async (one) => ({
      ...one,
      history: await client.workflow.getHandle(one.workflowId, one.runId).fetchHistory(),
    }));
    found.push(...histories);
    wave = histories.flatMap((one) => ledToBy(one, one.history));
  }
  return found;
}

function ledToBy({ workflowId, always }: ToFetch, { events }: History): ToFetch[] {
  return (events ?? []).flatMap((event): ToFetch[] => {
    const runId = event.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
    if (runId) return [{ workflowId, runId, always }];
    const { workflowExecution: child, workflowType } = event.childWorkflowExecutionStartedEventAttributes ?? {};
    if (!child?.workflowId || !child.runId) return [];
    return [{ workflowId: child.workflowId, runId: child.runId, always: workflowType?.name === 'sessionWorkflow' }];
  });
}

/**
 * Selects the same sample every time: the histories that must be included, and as many others as fit, evenly spaced.
 */
function sampled(wave: readonly ToFetch[], room: number): ToFetch[] {
  const others = wave.filter(({ always }) => !always);
  const count = Math.max(0, Math.min(others.length, room - (wave.length - others.length)));
  const chosen = new Set(Array.from({ length: count }, (_, index) => Math.floor((index * others.length) / count)));
  return [...wave.filter(({ always }) => always), ...others.filter((_, index) => chosen.has(index))];
}

async function inParallel<In, Out>(items: readonly In[], work: (item: In) => Promise<Out>): Promise<Out[]> {
  const results: Out[] = [];
  for (let from = 0; from < items.length; from += fetchedAtOnce)
    results.push(...(await Promise.all(items.slice(from, from + fetchedAtOnce).map(work))));
  return results;
}

/** Runs workflows in this thread: a worker's own thread takes longer to load the SDK than most histories to replay. */
export const replaying = { workflowBundle, debugMode: true };
prepareReplays();

/** Fails when the current workflow code would not make the recorded decisions. Of the client, its codecs are used. */
export async function replayAll(
  executions: Iterable<Execution> | AsyncIterable<Execution>,
  client?: Client,
): Promise<void> {
  const dataConverter = client === undefined ? {} : workerDataConverter(client);
  // The ids matter: child ids are derived from them, and replay generates one when none is given.
  for await (const { workflowId, error } of Worker.runReplayHistories({ ...replaying, dataConverter }, executions)) {
    if (error !== undefined) throw new Error(`${workflowId} does not replay: ${error.message}`, { cause: error });
  }
}
