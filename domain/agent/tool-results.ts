import {
  type ChangeVerdict,
  type FileRecord,
  filesSlice,
  recordsOf,
  type RequestedChange,
  type Session,
} from '../session';
import type { ToolResult } from '../tool';
import type { FileState, WorkspaceState } from '../workspace';
import { judged, type PendingOutcome } from './pending-outcome';
import type { AgentProgress } from './progress';

/** The result of a tool call, together with the name of the tool. Its text may be in the store. */
export interface NamedToolResult extends Omit<ToolResult, 'outcome'> {
  readonly tool: string;
  readonly outcome: PendingOutcome;
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
  const outcomes = executions.map(({ tool, outcome }, index) => judged(tool, outcome, verdicts[index] ?? {}));
  return { ...withSession(progress, session), outcomes };
}

/** Replaces the agent's session with a newer one, and updates its workspace with the files that changed in it. */
export function withSession(progress: AgentProgress, session: Session): AgentProgress {
  return { ...progress, session, workspace: follow(progress.workspace, progress.session, session) };
}

function follow(workspace: WorkspaceState | null, before: Session, after: Session): WorkspaceState | null {
  if (workspace === null) return null;
  const known = new Map(recordsOf(before, filesSlice).map((record) => [record.path, record]));
  const changed = recordsOf(after, filesSlice).filter(({ path, hash, executable }) => {
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
