import { proxyActivities } from '@temporalio/workflow';
import type { AgentActivities, ExecuteToolInput } from '../activities/interface';
import { inlineSnapshotBytes, type SnapshotTransfer } from '../domain/dispatch/delegation';
import { measureSession, snapshot, type SessionSnapshot } from '../domain/session';
import type { BlobRef } from '../domain/store/blob-ref';
import { preparing } from '../temporal-config/activity-options';
import { locationOf, withTuning, type Agent } from './agent';

/** A session as it is now, on its way to children: taken before the first await, so later events don't reach it. */
export interface SessionInTransfer {
  readonly snapshot: SessionSnapshot;
  readonly transfer: Promise<SnapshotTransfer>;
}

/** Small sessions travel inline; others are saved once for all children that start from this version. */
export function transferSession(agent: Agent): SessionInTransfer {
  const taken = snapshot(agent.schema, agent.progress.session);
  const { bytes } = measureSession(agent.progress.session);
  if (bytes <= inlineSnapshotBytes) return { snapshot: taken, transfer: Promise.resolve({ inline: taken }) };
  const transfer = save(agent, taken).then((ref) => ({ ref }));
  // Awaited by each delegation; a failure must not count as unhandled before the first of them looks.
  transfer.catch(() => undefined);
  return { snapshot: taken, transfer };
}

/** The slices that a tool declares to read, beside its other arguments as far as they fit there. */
export async function transferSlices(
  agent: Agent,
  names: readonly string[],
): Promise<NonNullable<ExecuteToolInput['session']>> {
  const { session } = agent.progress;
  const slices = Object.fromEntries(names.map((name) => [name, session.slices[name] ?? []]));
  if (JSON.stringify(slices).length <= inlineSnapshotBytes) return { slices };
  return { ref: await save(agent, snapshot(agent.schema, session)) };
}

function save(agent: Agent, taken: SessionSnapshot): Promise<BlobRef> {
  const { saveSnapshot } = proxyActivities<AgentActivities>(withTuning(preparing, agent.settings, 'save the session'));
  return saveSnapshot({ ...locationOf(agent), snapshot: taken });
}
