import type { CallModelInput } from '../activities/interface';
import { defaultHandoff, type AgentSettings } from '../domain/agent/settings';
import type { Allowance, Spending } from '../domain/budget/allowance';
import { addEstimates, estimateCall, type Estimate } from '../domain/budget/estimate';
import { isUnbounded } from '../domain/budget/dimension';
import { priceOf } from '../domain/budget/known-prices';
import { lackMessage } from '../domain/budget/lack';
import { admits, available } from '../domain/budget/ledger';
import type { Price } from '../domain/budget/prices';
import { forfeit, reserve, settle } from '../domain/budget/reservation';
import type { ChildSettings } from '../domain/dispatch/prepared';
import { outcomeTokens, type OpenedAgent } from '../domain/run/progress';
import type { Agent } from './agent';
import { failure } from './failures';

export function priceFor({ model, prices }: AgentSettings): Price | undefined {
  return priceOf(model.name, prices);
}

/**
 * What the next call must not pass, when by an estimate that errs high it might: then it is worth counting before asking.
 * Undefined when it is clear without.
 */
export function admissionFor(agent: Agent, closing: true | undefined): CallModelInput['admission'] {
  const { settings, progress } = agent;
  const { model, handoff = defaultHandoff } = settings;
  const price = priceFor(settings);
  refuseUnpriced(agent, price);
  const estimate = nextCall(agent);
  const tokens = estimate.tokens - model.maxTokens;
  const fresh = progress.occupancy === 0;
  // A fresh agent can't hand over: it may fill the window as far as there is room for an answer.
  const window = fresh ? model.window - model.maxTokens : Math.floor(handoff.at * model.window);
  const windowMatters = closing === undefined && tokens > window;
  const lack = admits(progress.ledger, estimate);
  if (lack?.dimension === 'turns') throw failure('Budget.Exceeded', lackMessage(lack));
  if (!windowMatters && lack === undefined) return undefined;
  return {
    estimate: tokens,
    ...(windowMatters ? { window } : {}),
    ...(lack === undefined ? {} : { budget: available(progress.ledger) }),
    ...(price === undefined ? {} : { price }),
  };
}

/** The agent's next call, by an estimate that errs high. */
function nextCall({ settings, progress, desk }: Agent): Estimate {
  const { opened, occupancy, outcomes, notes, head } = progress;
  // A conversation that has only its opening is told that: after a handoff, all that is left of the one before.
  const opening = occupancy === 0 ? head.bytes : 0;
  const words = [...notes, ...desk.state.steering].reduce((sum, text) => sum + 2 * text.length, 0);
  const told = opening + 3 * outcomeTokens(outcomes) + words;
  return estimateCall({
    promptBytes: opened.prompt.bytes,
    toolBytes: opened.toolList.bytes,
    conversationTokens: occupancy,
    newBytes: told,
    maxTokens: settings.model.maxTokens,
    price: priceFor(settings),
  });
}

/** A bound on cost can't be kept for a model without a price, such as one that a skill or an operator chose. */
function refuseUnpriced({ settings: { model }, progress: { ledger } }: Agent, price: Price | undefined): void {
  if (price !== undefined || ledger.allowance.microUsd === undefined) return;
  const why = `The price of "${model.name}" is not known, so its cost can't be bounded: it was not asked.`;
  throw failure('Budget.Exceeded', `${why} Give its price in \`prices\`, or choose another model.`);
}

/** Takes a delegation's share out of the agent's budget; undefined when nothing is bounded. */
export function reserveFor(
  agent: Agent,
  child: { readonly delegationId: string; readonly opened: OpenedAgent; readonly settings?: ChildSettings | undefined },
  notStarted: number,
): Allowance | undefined {
  const { settings, progress } = agent;
  const cap = child.settings?.budgetTokens;
  if (isUnbounded(progress.ledger.allowance)) return cap === undefined ? undefined : { tokens: cap };
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
    // Its next call, and one to hand over.
    own: addEstimates(own, own),
    first,
    ...(cap === undefined ? {} : { cap: { tokens: cap } }),
  });
  if (!reserved.ok) throw failure('Budget.Exceeded', lackMessage(reserved.lack));
  agent.progress = { ...agent.progress, ledger: reserved.ledger };
  return reserved.share;
}

/** Of a delegation that can't say what it spent, everything counts as spent. */
export function settleFor(agent: Agent, delegationId: string, spent: Spending | undefined): void {
  const { ledger } = agent.progress;
  agent.progress = {
    ...agent.progress,
    ledger: spent === undefined ? forfeit(ledger, delegationId) : settle(ledger, delegationId, spent),
  };
}
