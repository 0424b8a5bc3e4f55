import type { AgentSettings } from '../../domain/agent/agent-settings';
import { initialProgress, type AgentProgress, type OpenedAgent } from '../../domain/agent/progress';
import { emptySession, type SessionSchema } from '../../domain/session';
import { mountWorkspace } from '../workspace/mount-and-fold';

/** Properties of every root: it has no parent. */
export const rootPlace = { delegationId: null, depth: 0, sharedSession: null } as const;

/** Creates the initial progress of a root: an empty session, and the run's folder as its workspace. */
export async function initialRootProgress(
  schema: SessionSchema,
  input: AgentSettings & { readonly workspace?: { readonly root: string } | undefined },
  opened: OpenedAgent,
): Promise<AgentProgress> {
  const workspace = await mountWorkspace(input, input.workspace?.root, opened.storeId);
  return initialProgress(opened, emptySession(schema), workspace, input.budget);
}
