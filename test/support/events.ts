import type { Client } from '@temporalio/client';
import { readEvents } from '../../client/event/read-events';
import type { RunEvent, SessionEventRecord } from '../../client/event/record';
import { runIdOf } from '../../domain/kernel';
import type { Store } from '../../domain/store';

interface Collecting {
  readonly cursor?: string;
  readonly follow?: boolean;
  readonly onEvent?: (event: RunEvent) => void;
  /** Adds what only the store has. */
  readonly store?: Store;
}

/** Returns all events of a run, each with its cursor. */
export async function collectEvents(
  client: Client,
  { workflowId }: { readonly workflowId: string },
  { cursor, follow = false, onEvent, store }: Collecting = {},
): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  const runId = runIdOf(workflowId) ?? '';
  const stored = store === undefined ? {} : { store: store.forRun(runId) };
  for await (const event of readEvents(client, runId, cursor, { follow, cursors: true, ...stored })) {
    onEvent?.(event);
    events.push(event);
  }
  return events;
}

export function withoutCursors(events: readonly RunEvent[]): Omit<RunEvent, 'cursor'>[] {
  return events.map(({ cursor: _, ...event }) => event);
}

export function notesIn(events: readonly RunEvent[]): (SessionEventRecord & { agent: string; text: string })[] {
  return events.flatMap((event) =>
    event.kind === 'session.event' && event.type === 'noteAdded'
      ? [{ ...event, text: (event.value as { text: string }).text }]
      : [],
  );
}

/** Counts the events of each kind that matches the pattern. */
export function kindsOf(events: readonly RunEvent[], pattern: RegExp): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of events) if (pattern.test(kind)) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
