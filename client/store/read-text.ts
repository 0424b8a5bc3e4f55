import { type Client, WithStartWorkflowOperation, WorkflowUpdateFailedError } from '@temporalio/client';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BlobRef,
  type TextPage,
  type TextRequest,
  textsBusy,
  textsWorkflowContract,
  textsWorkflowId,
} from '../../domain/store';
import type { TextsWorkflow } from '../../workflows/store/texts-workflow';
import { readTextUpdate } from '../../workflows/messages';
import { BatonError } from '../client-errors';

/**
 * Reads a text that a run has stored, through its workers: for programs that have no access to the store. `of` is
 * `answer`, or a ref from a result, a snapshot or an artifact. `taskQueue` is that of the run's workers. Throws a
 * `BatonError` of type `Client.Refused` if it does not exist.
 *
 * @example
 * console.log(await readText(client, 'licenses-7', 'answer', 'baton'));
 */
export async function readText(
  client: Client,
  runId: string,
  of: 'answer' | Pick<BlobRef, 'hash' | 'bytes'>,
  taskQueue: string,
): Promise<string> {
  const parts: string[] = [];
  for (let offset: number | null = 0; offset !== null;) {
    const page: TextPage = await readPage(client, runId, { of, offset }, taskQueue);
    parts.push(page.text);
    offset = page.next;
  }
  return parts.join('');
}

/** Requests that are refused because of too many others are repeated, for about half a minute in all. */
const maxTries = 30;
const pauseMs = 1_000;

async function readPage(client: Client, runId: string, request: TextRequest, taskQueue: string): Promise<TextPage> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await requestPage(client, runId, request, taskQueue);
    } catch (error) {
      if (!(error instanceof BatonError && error.message.includes(textsBusy)) || tries === maxTries) throw error;
      await sleep(pauseMs);
    }
  }
}

async function requestPage(client: Client, runId: string, request: TextRequest, taskQueue: string): Promise<TextPage> {
  const startWorkflowOperation = new WithStartWorkflowOperation<TextsWorkflow>(textsWorkflowContract.name, {
    workflowId: textsWorkflowId(runId),
    taskQueue,
    args: [],
    workflowIdConflictPolicy: 'USE_EXISTING',
  });
  try {
    return await client.workflow.executeUpdateWithStart(readTextUpdate, { args: [request], startWorkflowOperation });
  } catch (error) {
    if (!(error instanceof WorkflowUpdateFailedError)) throw error;
    throw new BatonError('Client.Refused', `The text can't be read: ${error.cause?.message ?? error.message}`);
  }
}
