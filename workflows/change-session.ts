import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { AgentActivities, ApplySessionResult } from '../activities/interface';
import { applyTurn, type TurnVerdict, type WantedChange } from '../domain/agent/apply-turn';
import { takeDeliveries } from '../domain/dispatch/executions';
import { takeOver, wantedBy, withSession, type NamedExecution } from '../domain/agent/take-over';
import { applyDelta, type Session } from '../domain/session';
import type { SessionUpdate } from '../domain/shared-session/protocol';
import type { SessionEvent } from '../domain/tool/event';
import { changingSession, preparing } from '../temporal-config/activity-options';
import { locationOf, withTuning, type Agent, type SharedSession } from './agent';

/** After a turn: what its tools want changed goes into the session, and its model will be told what became of it. */
export async function applyExecutions(agent: Agent, settled: readonly NamedExecution[]): Promise<void> {
  const executions = takeDeliveries(agent.progress.session, settled);
  const { session, verdicts } = await change(agent, executions.map(wantedBy));
  agent.progress = takeOver(agent.progress, session, executions, verdicts);
}

/** Changes that the loop itself makes. */
export async function recordEvents(agent: Agent, events: readonly SessionEvent[]): Promise<void> {
  const { session } = await change(agent, [{ tool: null, callId: '', isError: false, changes: [], events }]);
  agent.progress = withSession(agent.progress, session);
}

interface Changed {
  readonly session: Session;
  readonly verdicts: readonly TurnVerdict[];
}

/** An own session is changed here and now; a shared one by its host, which answers with what others did meanwhile. */
async function change(agent: Agent, wanted: readonly WantedChange[]): Promise<Changed> {
  const { shared, schema, progress } = agent;
  if (shared === null) return applyTurn(schema, progress.session, wanted, progress.calls);
  const changed = shared.answered.then(() => changeShared(agent, shared, wanted));
  shared.answered = changed.catch(() => undefined);
  return changed;
}

async function changeShared(agent: Agent, shared: SharedSession, wanted: readonly WantedChange[]): Promise<Changed> {
  const verdicts: TurnVerdict[] = [];
  for (const some of inPortions(wanted)) {
    const answer = await send(agent, shared, some);
    const session = updated(agent.progress.session, await updateOf(agent, answer));
    // Kept at once: the next portion is relative to it.
    agent.progress = withSession(agent.progress, session);
    verdicts.push(...answer.verdicts);
  }
  return { session: agent.progress.session, verdicts };
}

function send(agent: Agent, shared: SharedSession, wanted: readonly WantedChange[]): Promise<ApplySessionResult> {
  const { applySession } = proxyActivities<AgentActivities>(
    withTuning(changingSession, agent.settings, 'change the session'),
  );
  const seq = shared.sent;
  shared.sent += 1;
  const { session, calls } = agent.progress;
  return applySession({
    ...locationOf(agent),
    host: shared.host,
    request: {
      writer: agent.delegationId ?? 'root',
      epoch: workflowInfo().runId,
      seq,
      since: session.version,
      turn: calls,
      wanted,
    },
  });
}

async function updateOf(agent: Agent, answer: ApplySessionResult): Promise<SessionUpdate> {
  if ('update' in answer) return answer.update;
  const { loadSessionUpdate } = proxyActivities<AgentActivities>(withTuning(preparing, agent.settings, 'load changes'));
  return loadSessionUpdate({ ...locationOf(agent), ref: answer.updateRef });
}

function updated(session: Session, update: SessionUpdate): Session {
  return 'whole' in update ? update.whole : applyDelta(session, update.delta);
}

/** So much fits beside the other fields of one request, in characters of JSON. */
const portionSize = 20_000;

function inPortions(wanted: readonly WantedChange[]): readonly (readonly WantedChange[])[] {
  const portions: WantedChange[][] = [];
  let room = 0;
  for (const one of wanted) {
    const size = JSON.stringify(one).length;
    const last = portions.at(-1);
    if (last === undefined || size > room) portions.push([one]);
    else last.push(one);
    room = (last === undefined || size > room ? portionSize : room) - size;
  }
  return portions;
}
