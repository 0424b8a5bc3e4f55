import { CancellationScope } from '@temporalio/workflow';
import { type AgentSettings, type RunTurnInput, estimateNextCall, type OpenedAgent } from '../../domain/agent';
import {
  addEstimates,
  type Allowance,
  type Estimate,
  estimateCall,
  forfeitReservation,
  isUnlimited,
  nothingSpent,
  remainingAllowance,
  reserve,
  settleReservation,
  settleUnreported,
  shortfallForCall,
  shortfallMessage,
  type Spending,
  subtractSpending,
} from '../../domain/budget';
import type { SettingsOverrides } from '../../domain/delegation';
import { handoffThreshold } from '../../domain/handoff';
import { findPrice, type Price } from '../../domain/model';
import { callLimitsOf } from '../../domain/tool';
import type { Agent } from '../agent/agent';
import { failure } from '../failures';

/** Returns the price of the agent's model; undefined when it is unknown. */
export function priceFor({ model, prices, models }: AgentSettings): Price | undefined {
  return findPrice(model.name, prices, models);
}

/**
 * Returns the limits that the next call might exceed, by an upper bound of its size. Its tokens are then counted before
 * the call is made. Undefined when no limit is within reach. `notes` are what the engine tells the model with the call.
 */
export function callLimits(
  agent: Agent,
  notes: readonly string[],
  closing: true | undefined,
): RunTurnInput['admission'] {
  const { settings, progress } = agent;
  const { model } = settings;
  const price = priceFor(settings);
  refuseUnpriced(agent, price);
  const estimate = nextCall(agent, notes);
  const tokens = estimate.tokens - model.maxTokens;
  const isNewConversation = progress.occupancy === 0;
  // A new conversation can't be handed off, so it may fill the context window up to the room for a reply.
  const window = isNewConversation ? model.window - model.maxTokens : handoffThreshold(settings);
  const mayFillWindow = closing === undefined && tokens > window;
  const shortfall = shortfallForCall(progress.ledger, estimate);
  if (shortfall?.dimension === 'turns') throw failure('Budget.Exceeded', shortfallMessage(shortfall));
  if (!mayFillWindow && shortfall === undefined) return undefined;
  return {
    estimate: tokens,
    ...(mayFillWindow ? { window } : {}),
    ...(shortfall === undefined ? {} : { budget: remainingAllowance(progress.ledger) }),
    ...(price === undefined ? {} : { price }),
  };
}

/** Returns an upper bound for the agent's next call. */
function nextCall({ settings, progress, inbox }: Agent, notes = progress.notes): Estimate {
  const { maxTokens } = settings.model;
  const { steering } = inbox.state;
  return estimateNextCall({ ...progress, notes }, { maxTokens, price: priceFor(settings), steering });
}

/** Throws if cost is limited but the model has no known price, such as a model that a skill or an operator chose. */
function refuseUnpriced({ settings: { model }, progress: { ledger } }: Agent, price: Price | undefined): void {
  if (price !== undefined || ledger.allowance.microUsd === undefined) return;
  const why = `The model was not called: the price of "${model.name}" is unknown, so the cost budget can't be enforced.`;
  throw failure(
    'Budget.Exceeded',
    `${why} Set its price in \`prices\` or in the models file, or choose another model.`,
  );
}

/** Reserves a delegation's share of the agent's budget; undefined when nothing is limited. */
export function reserveBudget(
  agent: Agent,
  child: {
    readonly delegationId: string;
    readonly opened: OpenedAgent;
    readonly settings?: SettingsOverrides | undefined;
  },
  notStarted: number,
): Allowance | undefined {
  const { settings, progress } = agent;
  const cap = child.settings?.budgetTokens;
  // The limits of its tools' calls are part of what it was opened with.
  if (isUnlimited(progress.ledger.allowance)) return cap === undefined ? undefined : { tokens: cap };
  const { access } = child.opened;
  const own = nextCall(agent);
  const model = child.settings?.model ?? settings.model;
  const first = estimateCall({
    promptBytes: child.opened.prompt.bytes,
    toolBytes: child.opened.toolList.bytes,
    conversationTokens: 0,
    maxTokens: model.maxTokens,
    price: priceFor({ ...settings, model }),
  });
  const reserved = reserve(progress.ledger, child.delegationId, {
    waiting: notStarted,
    // Kept for the agent's next call and for a handoff call.
    own: addEstimates(own, own),
    first,
    cap: { tokens: cap, ...(access === undefined ? {} : { calls: callLimitsOf(access) }) },
  });
  if (!reserved.ok) throw failure('Budget.Exceeded', shortfallMessage(reserved.lack));
  agent.progress = { ...agent.progress, ledger: reserved.ledger };
  return reserved.share;
}

/** Settles a delegation's reservation with the spending that it reported. */
export function settleBudget(agent: Agent, delegationId: string, spent: Spending): void {
  agent.progress = { ...agent.progress, ledger: settleReservation(agent.progress.ledger, delegationId, spent) };
}

/**
 * Settles the reservation of a delegation that ended without a report: cancelled, terminated or timed out. `settled` is
 * what its earlier attempts were settled with, because the journal has all of them. Returns what it was settled with now.
 */
export async function settleUnreportedBudget(agent: Agent, delegationId: string, settled: Spending): Promise<Spending> {
  // An agent that is being stopped looks up everything at once when it ends. Until then, the share stays reserved.
  if (CancellationScope.current().consideredCancelled) {
    agent.hasUnreported = true;
    return nothingSpent;
  }
  const found = await agent.unreported.of(agent, delegationId);
  const { ledger } = agent.progress;
  const spent = found === undefined ? nothingSpent : subtractSpending(found, settled);
  agent.progress = {
    ...agent.progress,
    ledger:
      found === undefined ? forfeitReservation(ledger, delegationId) : settleUnreported(ledger, delegationId, spent),
  };
  return spent;
}

/** Counts the shares of all delegations that ended without a report as spent, if their spending can't be found out. */
export function forfeitUnreported(agent: Agent): void {
  if (!agent.hasUnreported) return;
  const { ledger } = agent.progress;
  agent.progress = { ...agent.progress, ledger: Object.keys(ledger.reserved).reduce(forfeitReservation, ledger) };
}
