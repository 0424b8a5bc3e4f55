import type { DeliveredExecution } from '../dispatch/executions';
import { isDispatchTool } from '../dispatch/tools';
import type { AgentProgress, WorkspaceState } from '../run/progress';
import { filesSlice, recordsOf, type Session } from '../session';
import type { ToolOutcome } from '../tool/call';
import type { FileState } from '../workspace/change';
import type { TurnVerdict, WantedChange } from './apply-turn';

export interface NamedExecution extends DeliveredExecution {
  readonly tool: string;
}

export function wantedBy({ tool, outcome, changes, events }: NamedExecution): WantedChange {
  return { tool, callId: outcome.callId, isError: outcome.isError, changes, events };
}

/** The agent after a turn: with the session as it is now, and with what its model is told about the turn's calls. */
export function takeOver(
  progress: AgentProgress,
  session: Session,
  executions: readonly NamedExecution[],
  verdicts: readonly TurnVerdict[],
): AgentProgress {
  const outcomes = executions.map(({ tool, outcome }, index) => withVerdict(tool, outcome, verdicts[index] ?? {}));
  return { ...withSession(progress, session), outcomes };
}

/** The agent with a newer session; its files follow, whoever changed them. */
export function withSession(progress: AgentProgress, session: Session): AgentProgress {
  return { ...progress, session, workspace: follow(progress.workspace, progress.session, session) };
}

function follow(workspace: WorkspaceState | null, before: Session, after: Session): WorkspaceState | null {
  if (workspace === null) return null;
  const known = new Map(recordsOf(before, filesSlice).map(({ path, hash }) => [path, hash]));
  const changed = recordsOf(after, filesSlice).filter(({ path, hash }) => known.get(path) !== hash);
  if (changed.length === 0) return workspace;
  const again = new Set(changed.map(({ path }) => path));
  return {
    ...workspace,
    changes: [...workspace.changes.filter(({ path }) => !again.has(path)), ...changed.map(toState)],
  };
}

function toState({
  path,
  hash,
  bytes,
  mediaType,
}: {
  path: string;
  hash: string | null;
  bytes: number;
  mediaType?: string | undefined;
}): FileState {
  return { path, newHash: hash, bytes, ...(mediaType === undefined ? {} : { mediaType }) };
}

function withVerdict(tool: string, outcome: ToolOutcome, { complaint, remark }: TurnVerdict): ToolOutcome {
  if (complaint !== undefined) {
    // What a subagent did is done, whether or not it could be recorded; of any other tool nothing is.
    const kept = outcome.isError || isDispatchTool(tool);
    const words = kept ? `${outcome.addendum ?? ''}\n\nNot recorded:\n${complaint}` : `\n${complaint}`;
    return { ...outcome, isError: true, content: kept ? outcome.content : { text: 'Not done:' }, addendum: words };
  }
  return remark === undefined ? outcome : { ...outcome, addendum: `${outcome.addendum ?? ''} ${remark}` };
}
