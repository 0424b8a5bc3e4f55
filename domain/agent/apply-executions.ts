import type { AgentProgress } from '../run/progress';
import {
  applyEvents,
  filesSlice,
  planSlice,
  recordsOf,
  type EventFailure,
  type Session,
  type SessionSchema,
} from '../session';
import type { ToolExecution, ToolOutcome } from '../tool/call';
import type { SessionEvent } from '../tool/event';
import type { FileChange } from '../workspace/change';
import { mergeChanges, type ChangeConflict } from '../workspace/merge';

export interface NamedExecution extends ToolExecution {
  readonly tool: string;
}

/**
 * Takes over what a turn's tools want changed, in the order of the calls: of two writes to one file that started from the
 * same content, the second is lost and its model told so.
 */
export function applyExecutions(
  schema: SessionSchema,
  progress: AgentProgress,
  executions: readonly NamedExecution[],
): AgentProgress {
  let { session, workspace } = progress;
  const outcomes: ToolOutcome[] = [];
  for (const { tool, outcome, changes, events } of executions) {
    const { accepted, conflicts } = mergeChanges(currentFiles(session), changes);
    // A tool's changes belong together: with one of them lost, the others would make no sense.
    const wanted = conflicts.length > 0 ? [] : [...accepted.map(toEvent), ...events];
    const before = session;
    const applied = applyEvents(schema, session, wanted);
    session = applied.session;
    const failures = applied.results.flatMap((result) => (result.status === 'failed' ? [result.failure] : []));
    const told = withPlanIds(withComplaints(outcome, conflicts, failures), before, session);
    if (conflicts.length === 0 && workspace !== null) {
      workspace = { ...workspace, changes: [...workspace.changes, ...accepted] };
    }
    session = invoked(schema, session, tool, told, progress.calls);
    outcomes.push(told);
  }
  return { ...progress, session, workspace, outcomes };
}

/** Changes to the session that the loop itself makes; they are its own words, so none of them fails for its form. */
export function recordEvents(
  schema: SessionSchema,
  progress: AgentProgress,
  events: readonly SessionEvent[],
): AgentProgress {
  return { ...progress, session: applyEvents(schema, progress.session, events).session };
}

function invoked(
  schema: SessionSchema,
  session: Session,
  tool: string,
  { callId, isError }: ToolOutcome,
  turn: number,
): Session {
  return applyEvents(schema, session, [{ type: 'toolInvoked', value: { tool, callId, isError, turn } }]).session;
}

function currentFiles(session: Session): ReadonlyMap<string, string | null> {
  return new Map(recordsOf(session, filesSlice).map(({ path, hash }) => [path, hash]));
}

function toEvent({ path, expectedHash, newHash, bytes, mediaType }: FileChange): SessionEvent {
  const value = { path, expectedHash, newHash, bytes, ...(mediaType === undefined ? {} : { mediaType }) };
  return { type: 'fileChanged', value };
}

function withComplaints(
  outcome: ToolOutcome,
  conflicts: readonly ChangeConflict[],
  failures: readonly EventFailure[],
): ToolOutcome {
  const complaints = [...conflicts.map(conflictText), ...failures.map(failureText)];
  if (complaints.length === 0) return outcome;
  const content = outcome.isError ? outcome.content : { text: 'Not done:' };
  return { ...outcome, isError: true, content, addendum: `${outcome.addendum ?? ''}\n${complaints.join('\n')}` };
}

/** Ids are given by the plan itself, so the tool that adds steps can't know them. */
function withPlanIds(outcome: ToolOutcome, before: Session, after: Session): ToolOutcome {
  const added = recordsOf(after, planSlice).slice(recordsOf(before, planSlice).length);
  if (added.length === 0) return outcome;
  return { ...outcome, addendum: `${outcome.addendum ?? ''} Ids: ${added.map(({ id }) => id).join(', ')}.` };
}

function conflictText({ change, currentHash, blockedBy }: ChangeConflict): string {
  if (blockedBy !== undefined) return `${change.path}: "${blockedBy}" is in the way. Choose another path.`;
  const now = currentHash === null ? 'it is deleted now' : `its content has the hash ${currentHash} now`;
  return `${change.path}: somebody else changed it since it was read (${now}). Read it again and repeat your change on top.`;
}

function failureText({ type, message, current }: EventFailure): string {
  return `${type}: ${message}${current === undefined ? '' : ` Now: ${JSON.stringify(current)}`}`.slice(0, 1_000);
}
