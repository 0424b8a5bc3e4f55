import { ApplicationFailure, proxyActivities, workflowInfo } from '@temporalio/workflow';
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
  type Turns,
  untoldInBurst,
} from '../../domain/agent';
import { lowResources, withTold } from '../../domain/handoff';
import { DomainError, truncateText } from '../../domain/kernel';
import { type CallRefused, isCallRefused, stepAfterReply, type Usage } from '../../domain/model';
import { turnOptions } from '../../temporal-config/activity-options';
import { callLimits, priceFor } from '../budget/spending';
import { failure, usageFromFailure } from '../failures';
import { whileParentIsOpen } from '../open-parent';
import { countCost, countTokens } from '../metrics';
import { applyWaitingAmendments } from '../operator/effective-settings';
import { activityOptions, type Agent, storeLocation } from './agent';
import { burstFor, takeTurns } from './burst';
import { insideInput, takeFoldedRoot } from './inside-input';
import { fallBack, namingEveryModel, replacedModels } from './fall-back';
import { limitedOptions, namingLimit } from './limited-turns';

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
  const [taken, ...ahead] = agent.ahead;
  if (taken !== undefined) return usable(agent, takeAhead(agent, taken, ahead), options);
  if (agent.inbox.hasAmendments) await applyWaitingAmendments(agent);
  if (agent.inbox.state.paused) await untilResumed(agent);
  const { closing } = options;
  const { settings, progress, inbox } = agent;
  refuseBeyondLimit(agent, closing);
  agent.report(closing === undefined ? 'thinking' : 'handing over', aboutTurn(agent));
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
    ...optional('burst', inside === undefined ? undefined : burstFor(agent)),
  };
  let turn: Turns | CallRefused | undefined;
  try {
    turn = await request(agent, input);
  } catch (error) {
    chargeFailed(agent, error);
    if (fallBack(agent, error)) return runTurn(agent, options);
    throw namingEveryModel(agent, error);
  }
  // An operator's input comes first.
  if (turn === undefined) return runTurn(agent, options);
  if (isCallRefused(turn)) throw refusalOf(agent, turn);
  inbox.removeDelivered(steering.length);
  keepFurther(agent, turn);
  const reply = takeOver(agent, turn);
  if (notice !== undefined) agent.progress = withTold(agent.progress, notice.told);
  return usable(agent, reply, options);
}

/**
 * Fails with a reply that the agent can't continue from, inside the step, so that an operator can have the turn retried.
 * A handoff and a summary are judged by their texts.
 */
function usable({ settings }: Agent, reply: TurnReply, { closing, withoutTools }: TurnOptions): TurnReply {
  if ((closing ?? withoutTools) !== undefined) return reply;
  const step = stepAfterReply(reply);
  if (step === 'refused') throw failure('Model.Refused', 'The model refused to continue.');
  if (step !== 'contextExceeded') return reply;
  throw failure(
    'Model.ContextExceeded',
    `The conversation no longer fits into the context window of ${settings.model.name}.`,
  );
}

/** Keeps the turns after the first one, until the agent takes them over. */
function keepFurther(agent: Agent, { more = [], failed }: Turns): void {
  agent.ahead = more;
  agent.failedAhead = failed;
}

/** Takes over a turn that the last activity took by itself. What the model was not told, the next call tells it. */
function takeAhead(agent: Agent, turn: Turn, ahead: readonly Turn[]): TurnReply {
  const notes = untoldInBurst(agent.progress);
  agent.ahead = ahead;
  const reply = takeOver(agent, turn);
  if (notes.length > 0) agent.progress = { ...agent.progress, notes };
  return reply;
}

function takeOver(agent: Agent, turn: Turn): TurnReply {
  const reply = expandTurn(turn);
  chargeTo(agent, reply.usage, (before) => afterReply(before, reply, priceFor(agent.settings)));
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

/** Calls the activity. Not async, because every promise costs time. Undefined if an operator's input comes first. */
function request(agent: Agent, input: RunTurnInput): Promise<Turns | CallRefused | undefined> {
  const { settings, progress } = agent;
  reportFailedAhead(agent, input);
  const summary = truncateText(`turn ${progress.calls + 1}${afterTools(agent)}`, maxSummaryLength);
  const options = { ...activityOptions(turnOptions, settings, summary), ...limitedOptions(settings) };
  const activities = proxyActivities<AgentActivities>(options);
  return takeTurns(agent.inbox, input, (next) => activities.runTurn(next));
}

/** Charges the agent for a call that failed although the model was paid. */
function chargeFailed(agent: Agent, error: unknown): void {
  const usage = usageFromFailure(error);
  if (usage !== undefined) chargeTo(agent, usage, (before) => afterFailedCall(before, usage, priceFor(agent.settings)));
}

/** Fails with what the last activity found out about this turn. It is not tried again until an operator decides so. */
function reportFailedAhead(agent: Agent, { closing }: RunTurnInput): void {
  const { failedAhead } = agent;
  agent.failedAhead = undefined;
  // A handoff has another conversation, and takes the turn again.
  if (failedAhead === undefined || closing !== undefined) return;
  const { type, message, facts } = failedAhead;
  throw ApplicationFailure.create({
    message,
    nonRetryable: true,
    ...(type === undefined ? {} : { type }),
    ...(facts === undefined ? {} : { details: [facts] }),
  });
}

const maxSummaryLength = 80;

function aboutTurn(agent: Agent): string {
  const { settings, progress } = agent;
  return `${settings.model.name}, turn ${progress.calls + 1}${afterTools(agent)}${namingLimit(settings)}`;
}

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
