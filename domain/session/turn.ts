import { z } from 'zod';
import { truncateText } from '../kernel';
import type { SessionEvent } from '../tool';
import { type ChangeConflict, type FileChange, mergeChanges } from '../workspace';
import { applyEvents } from './apply-events';
import { recordsOf, type Session } from './session';
import type { EventFailure } from './session-errors';
import type { SessionSchema } from './session-schema';
import { filesSlice } from './slices/files-slice';
import { planSlice } from './slices/plan-slice';

/** The session changes requested by one tool call of a turn, or by the agent loop itself. */
export interface RequestedChange {
  /** Null for changes made by the agent loop rather than by a tool. */
  readonly tool: string | null;
  readonly callId: string;
  readonly isError: boolean;
  readonly changes: readonly FileChange[];
  readonly events: readonly SessionEvent[];
}

/** The result of one requested change, as text for the model. Empty when there is nothing to report. */
export const changeVerdictSchema = z.object({
  /** Why the change was refused. */
  complaint: z.string().exactOptional(),
  /** Information that the tool itself could not have, such as the ids of new plan steps. */
  remark: z.string().exactOptional(),
});
export type ChangeVerdict = Readonly<z.infer<typeof changeVerdictSchema>>;

/**
 * Maximum characters of all complaints about one turn, or one chunk of it. A host remembers them for every writer, and
 * sends those of many writers in one message.
 */
export const maxComplaintCharacters = 8_000;

/**
 * Applies the changes requested by a turn's tools, in the order of the calls. If two calls write to one file starting
 * from the same content, the second write is refused, and its verdict says so.
 */
export function applyTurn(
  schema: SessionSchema,
  session: Session,
  wanted: readonly RequestedChange[],
  turn: number,
): { readonly session: Session; readonly verdicts: readonly ChangeVerdict[] } {
  let now = session;
  const share = Math.floor(maxComplaintCharacters / Math.max(1, wanted.length));
  const verdicts = wanted.map((change) => {
    const { session: changed, complaints } = applyOne(schema, now, change);
    const remark = newPlanIds(now, changed);
    const { tool, callId } = change;
    const value = { tool, callId, isError: change.isError || complaints.length > 0, turn };
    now = tool === null ? changed : applyEvents(schema, changed, [{ type: 'toolInvoked', value }]).session;
    return {
      ...(complaints.length === 0 ? {} : { complaint: truncateText(complaints.join('\n'), share) }),
      ...(remark === '' ? {} : { remark }),
    };
  });
  return { session: now, verdicts };
}

/** Applies all changes of one tool call or none, because they belong together. */
function applyOne(
  schema: SessionSchema,
  session: Session,
  { changes, events }: RequestedChange,
): { session: Session; complaints: string[] } {
  if (changes.length === 0 && events.length === 0) return { session, complaints: [] };
  const { accepted, conflicts } = mergeChanges(currentFiles(session), changes);
  if (conflicts.length > 0) return { session, complaints: conflicts.map(conflictText) };
  const applied = applyEvents(schema, session, [...accepted.map(fileEvent), ...events]);
  const failures = applied.results.flatMap((result) => (result.status === 'failed' ? [result.failure] : []));
  return { session: failures.length === 0 ? applied.session : session, complaints: failures.map(failureText) };
}

function currentFiles(session: Session): ReadonlyMap<string, string | null> {
  return new Map(recordsOf(session, filesSlice).map(({ path, hash }) => [path, hash]));
}

/** Returns the event that records a change of a file in the session. */
export function fileEvent({ path, expectedHash, newHash, bytes, mediaType, executable }: FileChange): SessionEvent {
  const value = {
    path,
    expectedHash,
    newHash,
    bytes,
    ...(mediaType === undefined ? {} : { mediaType }),
    ...(executable === undefined ? {} : { executable }),
  };
  return { type: 'fileChanged', value };
}

/** The session assigns the ids of plan steps, so the tool that adds them can't know them. */
function newPlanIds(before: Session, after: Session): string {
  const added = recordsOf(after, planSlice).slice(recordsOf(before, planSlice).length);
  return added.length === 0 ? '' : `Ids: ${added.map(({ id }) => id).join(', ')}.`;
}

function conflictText({ change, currentHash, blockedBy }: ChangeConflict): string {
  if (blockedBy !== undefined) return `${change.path}: blocked by "${blockedBy}". Choose another path.`;
  const now = currentHash === null ? 'it has been deleted' : `its hash is now ${currentHash}`;
  return `${change.path}: another agent changed it since you read it (${now}). Read it again and reapply your change.`;
}

function failureText({ type, message, current }: EventFailure): string {
  return `${type}: ${message}${current === undefined ? '' : ` Current record: ${JSON.stringify(current)}`}`.slice(
    0,
    1_000,
  );
}

/** Maximum paths kept. The list is passed to every tool call and is therefore recorded in history. */
const maxUnseen = 100;

/**
 * Returns the files that other agents changed since this agent last read them. Comparing hashes does not protect these
 * files, because the agent's next write starts from their newest content. `write_file` refuses to replace them until
 * the agent has read them again.
 */
export function changedByOthers(
  unseen: readonly string[],
  before: Session,
  after: Session,
  own: readonly Pick<RequestedChange, 'changes'>[],
): readonly string[] {
  const known = new Map(recordsOf(before, filesSlice).map(({ path, hash }) => [path, hash]));
  const written = new Map(own.flatMap(({ changes }) => changes.map(({ path, newHash }) => [path, newHash])));
  const byOthers = recordsOf(after, filesSlice).filter(
    ({ path, hash }) => known.get(path) !== hash && !(written.has(path) && written.get(path) === hash),
  );
  if (byOthers.length === 0) return unseen;
  return [...new Set([...unseen, ...byOthers.map(({ path }) => path)])].slice(-maxUnseen);
}
