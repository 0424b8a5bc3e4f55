import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import { afterFailedCall, afterReply, type AgentProgress, type CallModelInput } from '../../domain/agent';
import { DomainError } from '../../domain/kernel';
import { type CallRefused, isCallRefused, type ModelReply, type Usage } from '../../domain/model';
import { modelCallOptions } from '../../temporal-config/activity-options';
import { callLimits, priceFor } from '../budget/spending';
import { failure, usageFromFailure } from '../failures';
import { whileParentIsOpen } from '../open-parent';
import { countCost, countTokens } from '../metrics';
import { applyWaitingAmendments } from '../operator/effective-settings';
import { activityOptions, type Agent, storeLocation } from './agent';
import { fallBack, namingEveryModel, replacedModels } from './fall-back';

/** Differences of a call from an ordinary turn. */
export interface CallOptions {
  /** Makes the handoff call: without tools, and exempt from the turn and context limits that led to the handoff. */
  readonly closing?: true;
}

/** Thrown when the context window has no room for another call, so that the agent has to hand off first. */
export class ContextWindowFull extends DomainError {
  readonly type = 'Model.ContextExceeded';
}

/**
 * Makes one model call: sends everything that happened since the last one, and adds the reply to the progress. If the
 * model can't be used, the next one of the agent's list makes the call.
 */
export async function callModel(agent: Agent, { closing }: CallOptions = {}): Promise<ModelReply> {
  if (agent.inbox.hasAmendments) await applyWaitingAmendments(agent);
  if (agent.inbox.state.paused) await untilResumed(agent);
  const { settings, progress, inbox } = agent;
  const turn = progress.calls + 1;
  const { maxTurns } = settings.limits;
  if (progress.calls >= maxTurns && closing === undefined)
    throw failure('Agent.TurnLimit', `No answer within ${maxTurns} turns.`);
  agent.report(closing === undefined ? 'thinking' : 'handing over', `${settings.model.name}, turn ${turn}`);
  const steering = closing === undefined ? inbox.state.steering : [];
  const request: CallModelInput = {
    ...storeLocation(agent),
    head: progress.head,
    outcomes: progress.outcomes,
    notes: progress.notes,
    identity: { execution: workflowInfo().firstExecutionRunId, call: progress.calls, try: progress.tries },
    ...optional('steering', steering.length > 0 ? steering : undefined),
    ...optional('changes', progress.changesTold ? undefined : progress.changes),
    ...optional('admission', callLimits(agent, closing)),
    ...optional('closing', closing),
    ...optional('insteadOf', replacedModels(agent)),
  };
  let reply: ModelReply | CallRefused;
  try {
    reply = await requestReply(agent, request);
  } catch (error) {
    if (fallBack(agent, error)) return callModel(agent, closing === undefined ? {} : { closing });
    throw namingEveryModel(agent, error);
  }
  if (isCallRefused(reply)) throw refusalOf(agent, reply);
  inbox.removeDelivered(steering.length);
  chargeTo(agent, reply.usage, (before) => afterReply(before, reply, priceFor(settings)));
  return reply;
}

/** Waits while an operator has paused the agent. Others may have written to its shared session in the meantime. */
async function untilResumed(agent: Agent): Promise<void> {
  await whileParentIsOpen(agent, () => !agent.inbox.state.paused);
  if (agent.shared !== null) agent.shared.isBehind = true;
}

/** Calls the activity. If it fails although the model was paid, charges the agent for that. */
async function requestReply(agent: Agent, input: CallModelInput): Promise<ModelReply | CallRefused> {
  const { settings, progress } = agent;
  const options = activityOptions(modelCallOptions, settings, `turn ${progress.calls + 1}`);
  try {
    return await proxyActivities<AgentActivities>(options).callModel(input);
  } catch (error) {
    const usage = usageFromFailure(error);
    if (usage !== undefined) chargeTo(agent, usage, (before) => afterFailedCall(before, usage, priceFor(settings)));
    throw error;
  }
}

function chargeTo(agent: Agent, usage: Usage, charged: (progress: AgentProgress) => AgentProgress): void {
  const before = agent.progress.ledger.own.microUsd;
  agent.progress = charged(agent.progress);
  countTokens(agent.settings.model.name, usage);
  countCost(agent.progress.ledger.own.microUsd - before);
}

/** Omits a field without a value, which would otherwise be recorded in history at every turn. */
function optional<K extends keyof CallModelInput>(
  name: K,
  value: CallModelInput[K] | undefined,
): Partial<CallModelInput> {
  return value === undefined ? {} : { [name]: value };
}

function refusalOf({ settings, progress }: Agent, { notAsked, message }: CallRefused): Error {
  if (notAsked === 'budget') return failure('Budget.Exceeded', message);
  // An agent that has not made a call yet has nothing to hand off.
  if (progress.occupancy > 0) return new ContextWindowFull(message);
  return failure(
    'Model.ContextExceeded',
    `The prompt does not fit into the context window of ${settings.model.name}: ${message}`,
  );
}
