import type { RequestedChange } from '../../../domain/session/turn';
import type { SessionEvent } from '../../../domain/tool/event';
import type { FileChange } from '../../../domain/workspace/changes';
import type { EventStatus, SessionEventRecord } from '../record';

/** A change of session state that an event is recorded for. */
export type Change = SessionEvent;

/** Returns all changes that a tool requested. File changes are session events too, and come first. */
export function changesOf({ changes, events }: Pick<RequestedChange, 'changes' | 'events'>): readonly Change[] {
  return [...changes.map(toEvent), ...events];
}

function toEvent({ path, expectedHash, newHash, bytes, mediaType }: FileChange): Change {
  const value = { path, expectedHash, newHash, bytes, ...(mediaType === undefined ? {} : { mediaType }) };
  return { type: 'fileChanged', value };
}

/** Creates the record of a session event. */
export function recordOf(
  { writer, turn }: { readonly writer: string; readonly turn: number },
  { type, value }: Change,
  status: EventStatus,
): SessionEventRecord {
  return { kind: 'session.event', writer, turn, type, value, status };
}
