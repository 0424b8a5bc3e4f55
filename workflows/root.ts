import type { AgentSettings } from '../domain/agent/settings';
import { firstProgress, type AgentProgress, type OpenedAgent } from '../domain/run/progress';
import { emptySession, type SessionSchema } from '../domain/session';
import { mountWorkspace } from './mount-workspace';

/** What is true of every root: nobody delegated to it. */
export const noParent = { delegationId: null, depth: 0, sharedSession: null } as const;

/** What a root starts from: an empty session, and the folder it was given. */
export async function rootProgress(
  schema: SessionSchema,
  input: AgentSettings & { readonly workspace?: { readonly root: string } | undefined },
  opened: OpenedAgent,
): Promise<AgentProgress> {
  const workspace = await mountWorkspace(input, input.workspace?.root, opened.storeId);
  return firstProgress(opened, emptySession(schema), workspace, input.budget);
}
