import type { Client } from '@temporalio/client';
import type { RunStore } from '../../domain/store';
import { describeRun } from '../agent/outcome';
import type { LogEntry } from './agent-log';
import { type EventBody, isoTime, type RunEvent } from './record';
import { RunLog } from './run-log';
import { rememberTexts, StoredEventTexts } from './stored-texts';

/** Options of `readEvents`. */
export interface ReadEventsOptions {
  /** Wait for more events until the run has ended. Default: false. */
  readonly follow?: boolean;
  /** Ends the reading without an error. */
  readonly signal?: AbortSignal;
  /** Add a cursor to each event, for continuing after it. Default: false. */
  readonly cursors?: boolean;
  /**
   * The run's part of the store. Adds the beginning of arguments and results that the histories don't have. Default: none.
   */
  readonly store?: RunStore;
  /** Called at the end, also after an error, with a cursor for continuing after the last event that was yielded. */
  readonly onEnd?: (cursor: string) => void;
}

/** Options of `readLog`. */
interface ReadLogOptions extends ReadEventsOptions {
  /** Called before each event with the entry of the log that it describes. */
  readonly onEntry?: ((entry: LogEntry) => void) | undefined;
}

/**
 * Yields the events of all agents of a run, in order. They are read from Temporal's histories, so this needs neither a
 * worker nor the store. With a cursor, yields exactly the events after the one that had it.
 *
 * Throws a `BatonError` if the run does not exist, or if the cursor is invalid or belongs to another run.
 *
 * @example
 * for await (const event of readEvents(client, 'licenses-7', undefined, { follow: true })) {
 *   if (event.kind === 'agent.failed') console.error(event.agent, event.failure.message);
 * }
 */
export function readEvents(
  client: Client,
  runId: string,
  cursor?: string,
  options: ReadEventsOptions = {},
): AsyncGenerator<RunEvent, void, undefined> {
  return readLog(client, runId, cursor, options);
}

/** Like `readEvents`, but also gives the entries of the log, which tell where texts are. */
export async function* readLog(
  client: Client,
  runId: string,
  cursor: string | undefined,
  { follow = false, signal, cursors = false, store, onEnd, onEntry }: ReadLogOptions,
): AsyncGenerator<RunEvent, void, undefined> {
  await describeRun(client, runId);
  const ended = new AbortController();
  const stop = (): void => {
    ended.abort();
  };
  signal?.addEventListener('abort', stop);
  if (signal?.aborted === true) stop();
  const log = new RunLog(client, runId, ended.signal);
  const texts = store && new StoredEventTexts(store);
  let hasBegun = false;
  try {
    await log.begin(cursor);
    hasBegun = true;
    do {
      for (let entry = await log.next(); entry !== undefined && !ended.signal.aborted; entry = await log.next()) {
        onEntry?.(entry);
        // Before anything is awaited: the cursor is that of this event.
        const after = cursors ? log.cursor() : undefined;
        const told = toEvent(entry, texts === undefined ? entry.body : await texts.complete(entry));
        const event = after === undefined ? told : { ...told, cursor: after };
        if (texts === undefined) rememberTexts(event, entry);
        yield event;
      }
    } while (follow && (await log.more()));
  } catch (error) {
    // A request that was interrupted by stopping fails only for that reason.
    if (!ended.signal.aborted) throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
    stop();
    if (hasBegun) onEnd?.(log.cursor());
  }
}

/** Returns the event that an entry of the log describes. */
export function toEvent({ time, workflowId }: Pick<LogEntry, 'time' | 'workflowId'>, body: EventBody): RunEvent {
  return { at: isoTime(time), agent: workflowId, ...body };
}
