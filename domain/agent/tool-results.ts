import { runCommandName } from '../command';
import {
  type ChangeVerdict,
  type FileRecord,
  filesSlice,
  recordsOf,
  type RequestedChange,
  type Session,
} from '../session';
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
  const files = recordsOf(after, filesSlice);
  // Most turns change no file, and there may be thousands.
  if (workspace === null || files === recordsOf(before, filesSlice)) return workspace;
  const known = new Map(recordsOf(before, filesSlice).map((record) => [record.path, record]));
  const changed = files.filter(({ path, hash, executable }) => {
    const old = known.get(path);
    return old?.hash !== hash || old.executable !== executable;
  });
  if (changed.length === 0) return workspace;
  const again = new Set(changed.map(({ path }) => path));
  return {
    ...workspace,
    changes: [...workspace.changes.filter(({ path }) => !again.has(path)), ...changed.map(toState)],
  };
}

function toState({ path, hash, bytes, mediaType, executable }: FileRecord): FileState {
  return {
    path,
    newHash: hash,
    bytes,
    ...(mediaType === undefined ? {} : { mediaType }),
    ...(executable === undefined ? {} : { executable }),
  };
}

function withVerdict(tool: string, outcome: ToolOutcome, { complaint, remark }: ChangeVerdict): ToolOutcome {
  if (complaint !== undefined) {
    // A subagent or a command did its work even if it could not be recorded. Any other tool has had no effect.
    const keepContent = outcome.isError || isDispatchTool(tool) || tool === runCommandName;
    const addendum = keepContent ? `${outcome.addendum ?? ''}\n\nNot recorded:\n${complaint}` : `\n${complaint}`;
    return { ...outcome, isError: true, content: keepContent ? outcome.content : { text: 'Not applied:' }, addendum };
  }
  return remark === undefined ? outcome : { ...outcome, addendum: `${outcome.addendum ?? ''} ${remark}` };
}
