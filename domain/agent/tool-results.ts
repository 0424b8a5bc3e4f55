import { type ChangeVerdict, filesSlice, recordsOf, type RequestedChange, type Session } from '../session';
import { isDispatchTool, type ToolOutcome, type ToolResult } from '../tool';
import type { FileState, WorkspaceState } from '../workspace';
import type { AgentProgress } from './progress';

/** The result of a tool call, together with the name of the tool. */
export interface NamedToolResult extends ToolResult {
  readonly tool: string;
}

/** Extracts the changes that a tool call requests. */
export function requestedChange({ tool, outcome, changes, events }: NamedToolResult): RequestedChange {
  return { tool, callId: outcome.callId, isError: outcome.isError, changes, events };
}

/** Returns the agent's progress after a turn, with the new session and the outcomes that the model sees next. */
export function applyVerdicts(
  progress: AgentProgress,
  session: Session,
  executions: readonly NamedToolResult[],
  verdicts: readonly ChangeVerdict[],
): AgentProgress {
  const outcomes = executions.map(({ tool, outcome }, index) => withVerdict(tool, outcome, verdicts[index] ?? {}));
  return { ...withSession(progress, session), outcomes };
}

/** Replaces the agent's session with a newer one, and updates its workspace with the files that changed in it. */
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

function withVerdict(tool: string, outcome: ToolOutcome, { complaint, remark }: ChangeVerdict): ToolOutcome {
  if (complaint !== undefined) {
    // The work of a subagent is done even if it could not be recorded. Any other tool has had no effect.
    const keepContent = outcome.isError || isDispatchTool(tool);
    const addendum = keepContent ? `${outcome.addendum ?? ''}\n\nNot recorded:\n${complaint}` : `\n${complaint}`;
    return { ...outcome, isError: true, content: keepContent ? outcome.content : { text: 'Not applied:' }, addendum };
  }
  return remark === undefined ? outcome : { ...outcome, addendum: `${outcome.addendum ?? ''} ${remark}` };
}
