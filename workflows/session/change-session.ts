import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { AgentActivities, ApplySessionResult } from '../../activities/interface';
import { applyTurn, type TurnVerdict, type WantedChange } from '../../domain/session/turn';
import { takeDeliveries } from '../../domain/delegation/results';
import { unseenAfter } from '../../domain/session/unseen';
import { takeOver, wantedBy, withSession, type NamedExecution } from '../../domain/agent/tool-results';
import { applyDelta, type Session } from '../../domain/session';
import { portionsOf, Verdicts } from '../../domain/session/shared/request-chunks';
import type { SessionUpdate } from '../../domain/session/contract';
import type { SessionEvent } from '../../domain/tool/event';
import { changingSession, preparing } from '../../temporal-config/activity-options';
import { locationOf, withTuning, type Agent, type SharedSession } from '../agent/agent';
import { millisecondsAsRecorded } from '../clock';
import { orAskOperator } from '../operator/operator-retry';

/** Applies the session changes that a turn's tools requested. The model sees the verdicts in its next turn. */
export function applyExecutions(agent: Agent, settled: readonly NamedExecution[]): Promise<void> | undefined {
  const executions = takeDeliveries(agent.progress.session, settled);
  return change(agent, executions.map(wantedBy), (verdicts) => {
    agent.progress = takeOver(agent.progress, agent.progress.session, executions, verdicts);
  });
}

/** Applies events of the agent loop itself to the session. */
export function recordEvents(agent: Agent, events: readonly SessionEvent[]): Promise<void> | undefined {
  return change(agent, [{ tool: null, callId: '', isError: false, changes: [], events }], () => undefined);
}

/**
 * Changes an isolated session at once, without awaiting anything. A shared session is changed by its host, whose reply
 * includes what other agents changed in the meantime. Either way the agent has the new session before any other code
 * runs, because concurrent delegations change it between any two awaits.
 */
function change(
  agent: Agent,
  wanted: readonly WantedChange[],
  take: (verdicts: readonly TurnVerdict[]) => void,
): Promise<void> | undefined {
  const { shared } = agent;
  if (shared === null) {
    take(changeOwn(agent, wanted));
    return undefined;
  }
  const changed = shared.answered.then(() => changeShared(agent, shared, wanted));
  shared.answered = changed.catch(() => undefined);
  return changed.then(take);
}

function changeOwn(agent: Agent, wanted: readonly WantedChange[]): readonly TurnVerdict[] {
  const { session, verdicts } = applyTurn(agent.schema, agent.progress.session, wanted, agent.progress.calls);
  agent.progress = withSession(agent.progress, session);
  return verdicts;
}

async function changeShared(
  agent: Agent,
  shared: SharedSession,
  wanted: readonly WantedChange[],
): Promise<readonly TurnVerdict[]> {
  const verdicts = new Verdicts(wanted.length);
  for (const portion of portionsOf(wanted)) {
    const wanted = portion.map((part) => verdicts.toSend(part));
    const seq = shared.sent++;
    // Every attempt has the same sequence number, so that a request that did arrive is not applied twice.
    const reply = await orAskOperator(agent, { name: 'changes to the session' }, () =>
      send(agent, shared, seq, wanted),
    );
    const update = await updateOf(agent, reply);
    // Stored at once, because the next chunk is relative to this version.
    const { session: before, unseen } = agent.progress;
    const after = updated(before, update);
    agent.progress = { ...withSession(agent.progress, after), unseen: unseenAfter(unseen, before, after, wanted) };
    verdicts.add(portion, reply.verdicts);
  }
  return verdicts.all();
}

function send(
  agent: Agent,
  shared: SharedSession,
  seq: number,
  wanted: readonly WantedChange[],
): Promise<ApplySessionResult> {
  const { applySession } = proxyActivities<AgentActivities>(
    withTuning(changingSession, agent.settings, 'change the session'),
  );
  const { session, calls } = agent.progress;
  return applySession({
    ...locationOf(agent),
    host: shared.host,
    request: {
      writer: agent.delegationId ?? 'root',
      epoch: workflowInfo().runId,
      at: millisecondsAsRecorded(),
      seq,
      since: session.version,
      turn: calls,
      wanted,
    },
  });
}

async function updateOf(agent: Agent, reply: ApplySessionResult): Promise<SessionUpdate> {
  if ('update' in reply) return reply.update;
  const { loadSessionUpdate } = proxyActivities<AgentActivities>(withTuning(preparing, agent.settings, 'load changes'));
  return loadSessionUpdate({ ...locationOf(agent), ref: reply.updateRef });
}

function updated(session: Session, update: SessionUpdate): Session {
  return 'whole' in update ? update.whole : applyDelta(session, update.delta);
}
