import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import { applyVerdicts, requestedChange, withSession } from '../../domain/agent';
import { addDelegationArtifacts, type NamedArtifact, type NamedDelivery } from '../../domain/delegation';
import {
  applyDelta,
  type ApplySessionResult,
  applyTurn,
  changedByOthers,
  type ChangeVerdict,
  type RequestedChange,
  type Session,
  type SessionUpdate,
  splitIntoRequests,
  VerdictCollector,
} from '../../domain/session';
import type { SessionEvent } from '../../domain/tool';
import { sessionWriteOptions, shortActivityOptions } from '../../temporal-config/activity-options';
import { activityOptions, type Agent, agentWorkflowId, type SharedSession, storeLocation } from '../agent/agent';
import { workflowNowMs } from '../clock';
import { withOperatorRetry } from '../operator/operator-retry';

/** Applies the session changes that a turn's tools requested. The model sees the verdicts in its next turn. */
export function applyToolResults(agent: Agent, results: readonly NamedDelivery[]): Promise<void> | undefined {
  const completed = addDelegationArtifacts(agent.progress.session, results);
  return change(agent, completed.map(requestedChange), (verdicts) => {
    agent.progress = applyVerdicts(agent.progress, agent.progress.session, completed, verdicts);
  });
}

/** Applies events of the agent loop itself to the session. */
export function recordEvents(agent: Agent, events: readonly SessionEvent[]): Promise<void> | undefined {
  return change(agent, [{ tool: null, callId: '', isError: false, changes: [], events }], () => undefined);
}

/** Returns the event that records an artifact which this agent has written. */
export function artifactWritten({ name, ref }: NamedArtifact): SessionEvent {
  return { type: 'artifactWritten', value: { name, ref: { ...ref }, by: agentWorkflowId() } };
}

/**
 * Changes an isolated session at once, without awaiting anything. A shared session is changed by its host, whose reply
 * includes what other agents changed in the meantime. Either way the agent has the new session before any other code
 * runs, because concurrent delegations change it between any two awaits.
 */
function change(
  agent: Agent,
  changes: readonly RequestedChange[],
  use: (verdicts: readonly ChangeVerdict[]) => void,
): Promise<void> | undefined {
  const { shared } = agent;
  if (shared === null) {
    use(changeIsolated(agent, changes));
    return undefined;
  }
  const changed = shared.answered.then(() => changeShared(agent, shared, changes));
  shared.answered = changed.catch(() => undefined);
  return changed.then(use);
}

function changeIsolated(agent: Agent, changes: readonly RequestedChange[]): readonly ChangeVerdict[] {
  const { session, verdicts } = applyTurn(agent.schema, agent.progress.session, changes, agent.progress.calls);
  agent.progress = withSession(agent.progress, session);
  return verdicts;
}

async function changeShared(
  agent: Agent,
  shared: SharedSession,
  changes: readonly RequestedChange[],
): Promise<readonly ChangeVerdict[]> {
  const verdicts = new VerdictCollector(changes.length);
  for (const portion of splitIntoRequests(changes)) {
    const wanted = portion.map((part) => verdicts.remaining(part));
    verdicts.add(portion, await exchange(agent, shared, wanted));
  }
  return verdicts.collected();
}

/**
 * Brings an agent up to date that has not heard from the host of its session for a while: it asks for everything that
 * others wrote, and writes nothing.
 */
export async function catchUp(agent: Agent, shared: SharedSession): Promise<void> {
  await exchange(agent, shared, []);
}

/** Sends changes to the host, and stores what the session is afterwards. Returns the verdicts on the changes. */
async function exchange(
  agent: Agent,
  shared: SharedSession,
  wanted: readonly RequestedChange[],
): Promise<readonly ChangeVerdict[]> {
  const name = wanted.length === 0 ? 'reading the session' : 'changes to the session';
  // Every attempt has the same number and time, so that a request that did arrive is not applied twice.
  const place = { seq: shared.sent++, at: workflowNowMs() };
  const reply = await withOperatorRetry(agent, { name }, () => send(agent, shared, place, wanted));
  const update = await updateOf(agent, reply);
  // Stored at once, because the next request is relative to this version.
  const { session: before, unseen } = agent.progress;
  const after = updated(before, update);
  agent.progress = { ...withSession(agent.progress, after), unseen: changedByOthers(unseen, before, after, wanted) };
  shared.isBehind = false;
  return reply.verdicts;
}

function send(
  agent: Agent,
  shared: SharedSession,
  place: { readonly seq: number; readonly at: number },
  wanted: readonly RequestedChange[],
): Promise<ApplySessionResult> {
  const summary = wanted.length === 0 ? 'catch up with the session' : 'change the session';
  const { applySession } = proxyActivities<AgentActivities>(
    activityOptions(sessionWriteOptions, agent.settings, summary),
  );
  const { session, calls } = agent.progress;
  return applySession({
    ...storeLocation(agent),
    host: shared.host,
    request: {
      writer: agent.delegationId ?? 'root',
      epoch: workflowInfo().runId,
      ...place,
      since: session.version,
      turn: calls,
      wanted,
    },
  });
}

async function updateOf(agent: Agent, reply: ApplySessionResult): Promise<SessionUpdate> {
  if ('update' in reply) return reply.update;
  const { loadSessionUpdate } = proxyActivities<AgentActivities>(
    activityOptions(shortActivityOptions, agent.settings, 'load changes'),
  );
  return loadSessionUpdate({ ...storeLocation(agent), ref: reply.updateRef });
}

function updated(session: Session, update: SessionUpdate): Session {
  return 'whole' in update ? update.whole : applyDelta(session, update.delta);
}
