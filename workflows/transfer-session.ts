import { proxyActivities } from '@temporalio/workflow';
import type { AgentActivities } from '../activities/interface';
import { inlineSnapshotBytes, type SnapshotTransfer } from '../domain/dispatch/delegation';
import { measureSession, snapshot, type SessionSnapshot } from '../domain/session';
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
  const { saveSnapshot } = proxyActivities<AgentActivities>(withTuning(preparing, agent.settings, 'save the session'));
  const transfer = saveSnapshot({ ...locationOf(agent), snapshot: taken }).then((ref) => ({ ref }));
  // Awaited by each delegation; a failure must not count as unhandled before the first of them looks.
  transfer.catch(() => undefined);
  return { snapshot: taken, transfer };
}

/** The slices that a tool declares to read, as far as they fit beside its other arguments. */
export function transferSlices({ progress }: Agent, names: readonly string[]): SessionSnapshot['slices'] {
  return Object.fromEntries(names.map((name) => [name, progress.session.slices[name] ?? []]));
}
