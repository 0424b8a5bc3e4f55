import { DeterminismViolationError, proxyActivities } from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import type { AgentSettings, ExecuteToolInput } from '../../domain/agent';
import type { StoreLocation } from '../../domain/store';
import { DomainError } from '../../domain/kernel';
import {
  hydrate,
  inlineSnapshotBytes,
  measureSession,
  type Session,
  type SessionSchema,
  type SessionSnapshot,
  slicesWithRecords,
  snapshot,
  snapshotOfSlices,
  type SnapshotPayload,
  UnknownSliceError,
} from '../../domain/session';
import type { BlobRef } from '../../domain/store';
import type { WorkspaceState } from '../../domain/workspace';
import { type ActivityPolicy, shortActivityOptions } from '../../temporal-config/activity-options';
import { activityOptions, type Agent, storeLocation } from '../agent/agent';
import { failure } from '../failures';

/**
 * A session snapshot for children, and the files that belong to it. They are captured before the first await, so that
 * they contain nothing that is written later.
 */
export interface CapturedSession {
  readonly snapshot: SessionSnapshot;
  readonly workspace: WorkspaceState | null;
  /** The snapshot as children receive it. */
  readonly transfer: Promise<SnapshotPayload>;
  /** Why no child could start from the snapshot; omitted when it is in order. */
  readonly problem?: string;
}

/**
 * Captures a session snapshot, and checks whether a child could start from it. A small one is passed inline; a larger one
 * is saved once, for all children that use it.
 */
export function captureSession(agent: Agent): CapturedSession {
  const captured = takeSnapshot(agent.schema, agent.progress.session);
  return { ...transferOf(agent, captured), ...problemOf(agent.schema, captured) };
}

function transferOf(agent: Agent, captured: SessionSnapshot): CapturedSession {
  const { session, workspace } = agent.progress;
  const { bytes } = measureSession(session);
  if (bytes <= inlineSnapshotBytes)
    return { snapshot: captured, workspace, transfer: Promise.resolve({ inline: captured }) };
  const transfer = saveSession(storeLocation(agent), captured, agent.settings).then((ref) => ({ ref }));
  // Every delegation awaits it. Until the first one does, a failure must not count as unhandled.
  transfer.catch(() => undefined);
  return { snapshot: captured, workspace, transfer };
}

/** How a session snapshot is saved. */
interface SavingOptions {
  readonly policy?: ActivityPolicy;
  /** Summary of the activity in the Web UI. */
  readonly summary?: string;
}

/** Returns the slices that an activity reads: inline if they fit, else as a ref to a snapshot of them. */
export async function captureSlices(
  agent: Agent,
  names: readonly string[],
  saving: SavingOptions = {},
): Promise<NonNullable<ExecuteToolInput['session']>> {
  const captured = snapshotOfSlices(agent.progress.session, names);
  const { slices } = captured;
  if (JSON.stringify(slices).length <= inlineSnapshotBytes) return { slices };
  return { ref: await saveSession(storeLocation(agent), captured, agent.settings, saving) };
}

/** Saves a session snapshot in the store, for whoever receives its ref. */
export function saveSession(
  location: StoreLocation,
  captured: SessionSnapshot,
  settings: Pick<AgentSettings, 'tuning'> = {},
  { policy = shortActivityOptions, summary = 'save the session' }: SavingOptions = {},
): Promise<BlobRef> {
  const { saveSnapshot } = proxyActivities<AgentActivities>(activityOptions(policy, settings, summary));
  return saveSnapshot({ ...location, snapshot: captured });
}

/** Returns the session that was passed inline or as a ref. */
export async function receiveSession(
  schema: SessionSchema,
  location: StoreLocation,
  from: SnapshotPayload,
  settings: Pick<AgentSettings, 'tuning'> = {},
): Promise<Session> {
  if ('inline' in from) return hydrateVerified(schema, from.inline);
  const { loadSnapshot } = proxyActivities<AgentActivities>(
    activityOptions(shortActivityOptions, settings, 'load the session'),
  );
  return hydrateVerified(schema, await loadSnapshot({ ...location, ref: from.ref }));
}

/** Hydrates a session snapshot and compares the result with it. A session that differs must not be used. */
export function hydrateVerified(schema: SessionSchema, from: SessionSnapshot): Session {
  const session = orWorkflowFailure(() => hydrate(schema, from));
  if (JSON.stringify(slicesWithRecords(session)) === JSON.stringify(slicesWithRecords(from))) return session;
  throw failure('Session.SnapshotIncompatible', 'The hydrated session differs from its snapshot.');
}

/**
 * Hydrates a snapshot as a child would. It fails for an agent that an older release began, if a slice no longer accepts
 * the records that it accepted then.
 */
function problemOf(schema: SessionSchema, captured: SessionSnapshot): { problem?: string } {
  try {
    hydrate(schema, captured);
    return {};
  } catch (error) {
    if (error instanceof DomainError) return { problem: error.message };
    throw error;
  }
}

/** Takes a snapshot of a session, for whoever continues with it. */
export function takeSnapshot(schema: SessionSchema, session: Session): SessionSnapshot {
  return orWorkflowFailure(() => snapshot(schema, session));
}

/**
 * Turns a problem with a snapshot into a failure of the workflow, because it is the same on every worker of a release.
 * Only a slice that this worker lacks is not. That fails the workflow task, which the server repeats until a worker that
 * has the slice takes it. It must be thrown before this task has any effect, or the other worker could not replay it.
 */
function orWorkflowFailure<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof UnknownSliceError) throw new DeterminismViolationError(error.message);
    throw error instanceof DomainError ? failure(error.type, error.message) : error;
  }
}
