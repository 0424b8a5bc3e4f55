import { allHandlersFinished, condition, continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import {
  readTextContract,
  textsBusy,
  type TextPage,
  type TextRequest,
  textsRunId,
  type TextsResult,
  type TextsStart,
  textsWorkflowId,
} from '../../domain/store';
import { readOptions } from '../../temporal-config/activity-options';
import { activityOptions } from '../agent/agent';
import { failure, rootCause } from '../failures';
import { handleUpdate } from '../handlers';

/** Signature of `textsWorkflow`. */
export type TextsWorkflow = (start?: TextsStart) => Promise<TextsResult>;

/** How long it waits for the next request by default, in milliseconds. */
const defaultIdleMs = 60_000;
/** Pages of one execution. Each is in history twice, and the server stops a workflow at 50 MiB. */
const pagesPerExecution = 30;
/** Pages from which on no further request is taken until the next execution has begun. */
const maxPages = 3 * pagesPerExecution;

/**
 * Reads stored contents of a run, of whatever state, for clients that have no access to the store. Clients send their
 * request together with the start of this workflow, so it need not be running. It ends when nobody asks any more.
 */
export async function serveTexts(start: TextsStart): Promise<TextsResult> {
  const runId = requireRunId();
  const idleMs = start?.idleMs ?? defaultIdleMs;
  let pages = 0;
  handleUpdate(
    readTextContract,
    (request) => {
      pages += 1;
      return readPage(runId, request);
    },
    {
      description: "Returns a page of the run's answer, or of a content by its hash.",
      // Readers that always overlap would otherwise keep the execution from ever ending.
      check: () => (pages >= maxPages ? textsBusy : undefined),
    },
  );
  for (let isAsked = true; isAsked;) {
    const before = pages;
    isAsked = await condition(() => pages > before, idleMs);
    await condition(allHandlersFinished);
    if (pages >= pagesPerExecution || workflowInfo().continueAsNewSuggested) return continueAsNew<TextsWorkflow>(start);
  }
  return { pages };
}

/** Returns the run that the workflow id names. */
function requireRunId(): string {
  const { workflowId } = workflowInfo();
  const runId = textsRunId(workflowId);
  if (runId !== undefined && runId !== '') return runId;
  throw failure(
    'Input.Invalid',
    `workflowId: it is "${workflowId}", which does not name a run. Start the workflow with an id such as "${textsWorkflowId('my-run')}".`,
  );
}

async function readPage(runId: string, request: TextRequest): Promise<TextPage> {
  const { readContent } = proxyActivities<AgentActivities>(activityOptions(readOptions, {}, 'read a page'));
  try {
    return await readContent({ runId, request });
  } catch (error) {
    // Clients in other languages see the failure of the Update itself, not what caused it.
    const { type, message } = rootCause(error);
    throw failure(type ?? 'Store.Unavailable', message);
  }
}
