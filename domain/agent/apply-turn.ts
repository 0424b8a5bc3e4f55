import {
  applyEvents,
  filesSlice,
  planSlice,
  recordsOf,
  type EventFailure,
  type Session,
  type SessionSchema,
} from '../session';
import type { SessionEvent } from '../tool/event';
import type { FileChange } from '../workspace/change';
import { mergeChanges, type ChangeConflict } from '../workspace/merge';

/** What one tool call of a turn, or the loop itself, wants changed in the session. */
export interface WantedChange {
  /** Null for changes that the loop makes, which are no use of a tool. */
  readonly tool: string | null;
  readonly callId: string;
  readonly isError: boolean;
  readonly changes: readonly FileChange[];
  readonly events: readonly SessionEvent[];
}

/** What became of it: words for the model, if there is anything to say. */
export interface TurnVerdict {
  /** Why something was not done. */
  readonly complaint?: string;
  /** What the tool could not know. */
  readonly remark?: string;
}

/**
 * Takes over what a turn's tools want changed, in the order of the calls: of two writes to one file that started from the
 * same content, the second is lost and its model told so.
 */
export function applyTurn(
  schema: SessionSchema,
  session: Session,
  wanted: readonly WantedChange[],
  turn: number,
): { readonly session: Session; readonly verdicts: readonly TurnVerdict[] } {
  let now = session;
  const verdicts = wanted.map((change) => {
    const { session: changed, complaints } = applyOne(schema, now, change);
    const remark = newPlanIds(now, changed);
    const { tool, callId } = change;
    const value = { tool, callId, isError: change.isError || complaints.length > 0, turn };
    now = tool === null ? changed : applyEvents(schema, changed, [{ type: 'toolInvoked', value }]).session;
    return {
      ...(complaints.length === 0 ? {} : { complaint: complaints.join('\n') }),
      ...(remark === '' ? {} : { remark }),
    };
  });
  return { session: now, verdicts };
}

/** A tool's changes belong together: with one of them lost, the others would make no sense. */
function applyOne(
  schema: SessionSchema,
  session: Session,
  { changes, events }: WantedChange,
): { session: Session; complaints: string[] } {
  const { accepted, conflicts } = mergeChanges(currentFiles(session), changes);
  if (conflicts.length > 0) return { session, complaints: conflicts.map(conflictText) };
  const applied = applyEvents(schema, session, [...accepted.map(toEvent), ...events]);
  const failures = applied.results.flatMap((result) => (result.status === 'failed' ? [result.failure] : []));
  return { session: failures.length === 0 ? applied.session : session, complaints: failures.map(failureText) };
}

function currentFiles(session: Session): ReadonlyMap<string, string | null> {
  return new Map(recordsOf(session, filesSlice).map(({ path, hash }) => [path, hash]));
}

function toEvent({ path, expectedHash, newHash, bytes, mediaType }: FileChange): SessionEvent {
  const value = { path, expectedHash, newHash, bytes, ...(mediaType === undefined ? {} : { mediaType }) };
  return { type: 'fileChanged', value };
}

/** Ids are given by the plan itself, so the tool that adds steps can't know them. */
function newPlanIds(before: Session, after: Session): string {
  const added = recordsOf(after, planSlice).slice(recordsOf(before, planSlice).length);
  return added.length === 0 ? '' : `Ids: ${added.map(({ id }) => id).join(', ')}.`;
}

function conflictText({ change, currentHash, blockedBy }: ChangeConflict): string {
  if (blockedBy !== undefined) return `${change.path}: "${blockedBy}" is in the way. Choose another path.`;
  const now = currentHash === null ? 'it is deleted now' : `its content has the hash ${currentHash} now`;
  return `${change.path}: somebody else changed it since it was read (${now}). Read it again and repeat your change on top.`;
}

function failureText({ type, message, current }: EventFailure): string {
  return `${type}: ${message}${current === undefined ? '' : ` Now: ${JSON.stringify(current)}`}`.slice(0, 1_000);
}
