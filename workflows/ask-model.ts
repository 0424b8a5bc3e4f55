import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { AgentActivities, CallModelInput } from '../activities/interface';
import { isNotAsked, type ModelReply, type NotAsked } from '../domain/model/reply';
import { afterReply } from '../domain/run/progress';
import { callingModel } from '../temporal-config/activity-options';
import { locationOf, withTuning, type Agent } from './agent';
import { admissionFor, priceFor } from './budget';
import { failure } from './failures';
import { countCost, countTokens } from './observe';

/** How a call differs from an ordinary turn. */
export interface AskOptions {
  /** The agent's last words before it hands over: no tools, and not held up by limits that led to it. */
  readonly closing?: true;
}

/** The conversation has grown so far that the agent has to hand over before it says anything else. */
export class WindowFull extends Error {}

/** One turn of the conversation: tells the model what has happened since the last one. */
export async function askModel(agent: Agent, { closing }: AskOptions = {}): Promise<ModelReply> {
  if (agent.desk.state.paused) await agent.desk.resumed();
  const { settings, progress, desk } = agent;
  const turn = progress.calls + 1;
  const { maxTurns } = settings.limits;
  if (progress.calls >= maxTurns && closing === undefined)
    throw failure('Agent.TurnLimit', `No answer within ${maxTurns} turns.`);
  agent.report(closing === undefined ? 'thinking' : 'handing over', `${settings.model.name}, turn ${turn}`);
  const steering = closing === undefined ? desk.state.steering : [];
  const { callModel } = proxyActivities<AgentActivities>(withTuning(callingModel, settings, `turn ${turn}`));
  const reply = await callModel({
    ...locationOf(agent),
    head: progress.head,
    outcomes: progress.outcomes,
    notes: progress.notes,
    identity: { execution: workflowInfo().firstExecutionRunId, call: progress.calls, try: progress.tries },
    ...only('steering', steering.length > 0 ? steering : undefined),
    ...only('changes', progress.changesTold ? undefined : progress.changes),
    ...only('admission', admissionFor(agent, closing)),
    ...only('closing', closing),
  });
  if (isNotAsked(reply)) throw refusalOf(agent, reply);
  desk.heard(steering.length);
  const before = agent.progress.ledger.own.microUsd;
  agent.progress = afterReply(agent.progress, reply, priceFor(settings));
  countTokens(settings.model.name, reply.usage);
  countCost(agent.progress.ledger.own.microUsd - before);
  return reply;
}

/** Fields that say nothing are left out: they would stand in history at every turn. */
function only<K extends keyof CallModelInput>(name: K, value: CallModelInput[K] | undefined): Partial<CallModelInput> {
  return value === undefined ? {} : { [name]: value };
}

function refusalOf({ settings, progress }: Agent, { notAsked, message }: NotAsked): Error {
  if (notAsked === 'budget') return failure('Budget.Exceeded', message);
  // Before its first call an agent has nothing to hand over.
  if (progress.occupancy > 0) return new WindowFull(message);
  return failure(
    'Model.ContextExceeded',
    `The prompt does not fit into the window of ${settings.model.name}: ${message}`,
  );
}
