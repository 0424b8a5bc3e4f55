import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import { applyVerdicts, type Inside, requestedChange, type TurnReply, withSession } from '../../domain/agent';
import { addDelegationArtifacts, type NamedArtifact, type NamedDelivery } from '../../domain/delegation';
import {
  applyDelta,
  type ApplySessionInput,
  type ApplySessionResult,
  applyTurn,
  changedByOthers,
  type ChangeVerdict,
  type PlacedRequest,
  type RequestedChange,
  type SessionUpdate,
  splitIntoRequests,
  VerdictCollector,
} from '../../domain/session';
import type { SessionEvent } from '../../domain/tool';
import { sessionWriteOptions, shortActivityOptions } from '../../temporal-config/activity-options';
import {
  activityOptions,
  type Agent,
  agentWorkflowId,
  type RequestPlace,
  type SharedSession,
  storeLocation,
} from '../agent/agent';
import { workflowNowMs } from '../clock';
import { withOperatorRetry } from '../operator/operator-retry';

/**
 * Applies the session changes that a turn's tools requested. The model sees the verdicts in its next turn. `sent` is the
 * result if the turn itself has sent them to the host of a shared session.
 */
export function applyToolResults(
  agent: Agent,
  results: readonly NamedDelivery[],
  { applied, unanswered }: NonNullable<TurnReply['sent']> = {},
): Promise<void> | undefined {
  const completed = addDelegationArtifacts(agent.progress.session, results);
  const wanted = completed.map(requestedChange);
  const use = (verdicts: readonly ChangeVerdict[]): void => {
    agent.progress = applyVerdicts(agent.progress, agent.progress.session, completed, verdicts);
  };
  if (agent.shared === null || applied === undefined) return change(agent, wanted, use, unanswered);
  takePlace(agent.shared);
  if ('updateRef' in applied)
    return takeStored(agent, agent.shared, applied, wanted).then(() => {
      use(applied.verdicts);
    });
  takeUpdate(agent, agent.shared, applied.update, wanted);
  use(applied.verdicts);
  return undefined;
}

/**
 * Returns the request with which an agent's next turn may change its shared session. If the turn does not send it, the
 * agent's next request has its number.
 */
export function reserveRequest(agent: Agent, shared: SharedSession): NonNullable<Inside['apply']> {
  shared.reserved = { seq: shared.sent, at: workflowNowMs() };
  return { host: shared.host, ...placed(agent, shared.reserved, agent.progress.calls + 1) };
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
  epoch?: string,
): Promise<void> | undefined {
  const { shared } = agent;
  if (shared === null) {
    use(changeIsolated(agent, changes));
    return undefined;
  }
  const changed = shared.answered.then(() => changeShared(agent, shared, changes, epoch));
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
  epoch?: string,
): Promise<readonly ChangeVerdict[]> {
  const verdicts = new VerdictCollector(changes.length);
  for (const portion of splitIntoRequests(changes)) {
    const wanted = portion.map((part) => verdicts.remaining(part));
    verdicts.add(portion, await exchange(agent, shared, wanted, epoch));
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

/**
 * Sends changes to the host, and stores what the session is afterwards. Returns the verdicts on the changes. `epoch` is
 * the execution in whose name a turn has sent them before; default: this one.
 */
async function exchange(
  agent: Agent,
  shared: SharedSession,
  wanted: readonly RequestedChange[],
  epoch = workflowInfo().runId,
): Promise<readonly ChangeVerdict[]> {
  const name = wanted.length === 0 ? 'reading the session' : 'changes to the session';
  // Every attempt has the same number and time, so that a request that did arrive is not applied twice.
  const place = takePlace(shared);
  const reply = await withOperatorRetry(agent, { name }, () =>
    send(agent, shared, { ...placed(agent, place), epoch, wanted }),
  );
  if ('updateRef' in reply) await takeStored(agent, shared, reply, wanted);
  else takeUpdate(agent, shared, reply.update, wanted);
  return reply.verdicts;
}

/** Returns the number and time of the next request, which then count as used. */
function takePlace(shared: SharedSession): RequestPlace {
  const place = shared.reserved ?? { seq: shared.sent, at: workflowNowMs() };
  shared.reserved = null;
  shared.sent = place.seq + 1;
  return place;
}

function placed(agent: Agent, place: RequestPlace, turn = agent.progress.calls): PlacedRequest {
  return {
    writer: agent.delegationId ?? 'root',
    epoch: workflowInfo().runId,
    ...place,
    since: agent.progress.session.version,
    turn,
  };
}

function send(
  agent: Agent,
  { host }: SharedSession,
  request: ApplySessionInput['request'],
): Promise<ApplySessionResult> {
  const summary = request.wanted.length === 0 ? 'catch up with the session' : 'change the session';
  const { applySession } = proxyActivities<AgentActivities>(
    activityOptions(sessionWriteOptions, agent.settings, summary),
  );
  return applySession({ ...storeLocation(agent), host, request });
}

async function takeStored(
  agent: Agent,
  shared: SharedSession,
  { updateRef: ref }: Extract<ApplySessionResult, { updateRef: unknown }>,
  wanted: readonly RequestedChange[],
): Promise<void> {
  const { loadSessionUpdate } = proxyActivities<AgentActivities>(
    activityOptions(shortActivityOptions, agent.settings, 'load changes'),
  );
  takeUpdate(agent, shared, await loadSessionUpdate({ ...storeLocation(agent), ref }), wanted);
}

/** Stores what the host replied, at once, because the next request is relative to this version. */
function takeUpdate(
  agent: Agent,
  shared: SharedSession,
  update: SessionUpdate,
  wanted: readonly RequestedChange[],
): void {
  const { session: before, unseen } = agent.progress;
  const after = 'whole' in update ? update.whole : applyDelta(before, update.delta);
  agent.progress = { ...withSession(agent.progress, after), unseen: changedByOthers(unseen, before, after, wanted) };
  shared.isBehind = false;
}
