import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import {
  afterFailedCall,
  afterReply,
  type AgentProgress,
  expandTurn,
  type RunTurnInput,
  toldNext,
  type Turn,
  type TurnReply,
} from '../../domain/agent';
import { lowResources, withTold } from '../../domain/handoff';
import { DomainError, truncateText } from '../../domain/kernel';
import { type CallRefused, isCallRefused, type Usage } from '../../domain/model';
import { turnOptions } from '../../temporal-config/activity-options';
import { callLimits, priceFor } from '../budget/spending';
import { failure, usageFromFailure } from '../failures';
import { whileParentIsOpen } from '../open-parent';
import { countCost, countTokens } from '../metrics';
import { applyWaitingAmendments } from '../operator/effective-settings';
import { activityOptions, type Agent, storeLocation } from './agent';
import { insideInput, takeFoldedRoot } from './inside-input';
import { fallBack, namingEveryModel, replacedModels } from './fall-back';

/** Differences of a call from an ordinary turn. */
export interface TurnOptions {
  /** Makes the handoff call: without tools, and exempt from the turn and context limits that led to the handoff. */
  readonly closing?: true;
  /** Only asks for a text: whatever tools the model requests, none is run. */
  readonly withoutTools?: true;
}

/** Thrown when the context window has no room for another call, so that the agent has to hand off first. */
export class ContextWindowFull extends DomainError {
  readonly type = 'Model.ContextExceeded';
}

/**
 * Takes one turn: sends everything that happened since the last one, and adds the reply to the progress. Its calls that
 * may run in the same activity have run then. If the model can't be used, the next one of the agent's list takes the turn.
 */
export async function runTurn(agent: Agent, options: TurnOptions = {}): Promise<TurnReply> {
  if (agent.inbox.hasAmendments) await applyWaitingAmendments(agent);
  if (agent.inbox.state.paused) await untilResumed(agent);
  const { closing } = options;
  const { settings, progress, inbox } = agent;
  refuseBeyondLimit(agent, closing);
  const about = `${settings.model.name}, turn ${progress.calls + 1}${afterTools(agent)}`;
  agent.report(closing === undefined ? 'thinking' : 'handing over', about);
  const steering = closing === undefined ? inbox.state.steering : [];
  const notice = closing === undefined ? lowResources(settings, progress) : undefined;
  const notes = notice?.text === undefined ? progress.notes : [...progress.notes, notice.text];
  const inside = (closing ?? options.withoutTools) ? undefined : insideInput(agent);
  const input: RunTurnInput = {
    ...storeLocation(agent),
    head: { hash: progress.head.hash, bytes: progress.head.bytes },
    identity: { execution: workflowInfo().firstExecutionRunId, call: progress.calls, try: progress.tries },
    ...optional('told', toldNext(progress, notes, steering)),
    ...optional('admission', callLimits(agent, notes, closing)),
    ...optional('closing', closing),
    ...optional('insteadOf', replacedModels(agent)),
    ...optional('inside', inside),
  };
  let turn: Turn | CallRefused;
  try {
    turn = await request(agent, input);
  } catch (error) {
    if (fallBack(agent, error)) return runTurn(agent, options);
    throw namingEveryModel(agent, error);
  }
  if (isCallRefused(turn)) throw refusalOf(agent, turn);
  inbox.removeDelivered(steering.length);
  const reply = expandTurn(turn);
  chargeTo(agent, reply.usage, (before) => afterReply(before, reply, priceFor(settings)));
  if (notice !== undefined) agent.progress = withTold(agent.progress, notice.told);
  if (turn.root !== undefined) takeFoldedRoot(agent, turn.root);
  agent.lastTools = reply.toolCalls.map(({ name }) => name);
  return reply;
}

function refuseBeyondLimit({ settings: { limits }, progress }: Agent, closing: true | undefined): void {
  if (progress.calls < limits.maxTurns || closing !== undefined) return;
  throw failure('Agent.TurnLimit', `No answer within ${limits.maxTurns} turns.`);
}

/** Waits while an operator has paused the agent. Others may have written to its shared session in the meantime. */
async function untilResumed(agent: Agent): Promise<void> {
  await whileParentIsOpen(agent, () => !agent.inbox.state.paused);
  if (agent.shared !== null) agent.shared.isBehind = true;
}

/** Calls the activity. If it fails although the model was paid, charges the agent for that. */
async function request(agent: Agent, input: RunTurnInput): Promise<Turn | CallRefused> {
  const { settings, progress } = agent;
  const summary = truncateText(`turn ${progress.calls + 1}${afterTools(agent)}`, maxSummaryLength);
  try {
    return await proxyActivities<AgentActivities>(activityOptions(turnOptions, settings, summary)).runTurn(input);
  } catch (error) {
    const usage = usageFromFailure(error);
    if (usage !== undefined) chargeTo(agent, usage, (before) => afterFailedCall(before, usage, priceFor(settings)));
    throw error;
  }
}

const maxSummaryLength = 80;

/** Names the tools of the last turn: a turn is described when it begins, before the model has chosen any. */
function afterTools({ lastTools }: Agent): string {
  if (lastTools.length === 0) return '';
  const names = [...new Set(lastTools)].map((name) => {
    const times = lastTools.filter((other) => other === name).length;
    return times === 1 ? name : `${name} ×${times}`;
  });
  return ` after ${names.join(', ')}`;
}

function chargeTo(agent: Agent, usage: Usage, charged: (progress: AgentProgress) => AgentProgress): void {
  const before = agent.progress.ledger.own.microUsd;
  agent.progress = charged(agent.progress);
  countTokens(agent.settings.model.name, usage);
  countCost(agent.progress.ledger.own.microUsd - before);
}

/** Omits a field without a value, which would otherwise be recorded in history at every turn. */
function optional<K extends keyof RunTurnInput>(name: K, value: RunTurnInput[K] | undefined): Partial<RunTurnInput> {
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
