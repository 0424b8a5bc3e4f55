import type { Client } from '@temporalio/client';
import { describeRun } from '../run-view';
import type { Entry } from './agent-log';
import type { RunEvent } from './record';
import { RunLog } from './run-log';

export interface ReadEventsOptions {
  /** Wait for more until the run has ended. */
  readonly follow?: boolean;
  /** Ends the reading, without an error. */
  readonly signal?: AbortSignal;
  /** Give each event the cursor to read on from. */
  readonly cursors?: boolean;
}

/**
 * What has happened in a run, in all of its agents, in order. Read from Temporal's own histories: needs neither a worker
 * nor the store. With a cursor: exactly what follows the event that had it.
 */
export async function* readEvents(
  client: Client,
  runId: string,
  cursor?: string,
  { follow = false, signal, cursors = false }: ReadEventsOptions = {},
): AsyncGenerator<RunEvent, void, undefined> {
  await describeRun(client, runId);
  const ended = new AbortController();
  const stop = (): void => {
    ended.abort();
  };
  signal?.addEventListener('abort', stop);
  if (signal?.aborted === true) stop();
  try {
    const log = new RunLog(client, runId, ended.signal);
    await log.begin(cursor);
    do {
      for (let entry = await log.next(); entry !== undefined && !ended.signal.aborted; entry = await log.next()) {
        yield toEvent(entry, cursors ? log.cursor() : undefined);
      }
    } while (follow && (await log.more()));
  } catch (error) {
    // What was under way when it was stopped fails for that reason alone.
    if (!ended.signal.aborted) throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
    stop();
  }
}

function toEvent({ time, workflowId, body }: Entry, cursor: string | undefined): RunEvent {
  const at = new Date(Math.floor(time / 1_000)).toISOString();
  return { at, agent: workflowId, ...body, ...(cursor === undefined ? {} : { cursor }) };
}
