import { parentOf } from '../kernel';
import { addUsage, costOf, findPrice, type ModelCatalog, noUsage, type PriceTable, type Usage } from '../model';
import { addSpending, nothingSpent, type Spending } from './allowance';

/** A model call that the provider answered. It has to be paid for, whether or not its agent could use the reply. */
export interface PaidCall {
  /** Workflow id of the agent that made the call. */
  readonly agent: string;
  /** Identifies the call. A call that took several requests occurs once for each of them. */
  readonly call: string;
  /** Name of the model that was requested. */
  readonly model: string;
  readonly usage: Usage;
  /** Prices that an operator set for this agent; omitted when there are none. */
  readonly prices?: PriceTable;
}

/** The prices that a run was started with. */
export interface PinnedPrices {
  readonly prices?: PriceTable | undefined;
  readonly models?: ModelCatalog | undefined;
}

/** Returns what a model call costs. Usage without a known price is marked as such. */
export function spendingOf(usage: Usage, price: Parameters<typeof costOf>[0] | undefined): Spending {
  return price === undefined
    ? { usage, microUsd: 0, turns: 1, unpriced: true }
    : { usage, microUsd: costOf(price, usage), turns: 1 };
}

/** Adds up the calls of each agent, by workflow id. The cost of every call is rounded up as when it was charged. */
export function spendingByAgent(calls: Iterable<PaidCall>, pinned: PinnedPrices): ReadonlyMap<string, Spending> {
  const whole = new Map<string, PaidCall>();
  const changed = new Map<string, PriceTable>();
  for (const each of calls) {
    const key = `${each.agent} ${each.call}`;
    whole.set(key, { ...each, usage: addUsage(whole.get(key)?.usage ?? noUsage, each.usage) });
    if (each.prices !== undefined) changed.set(each.agent, { ...changed.get(each.agent), ...each.prices });
  }
  const sums = new Map<string, Spending>();
  for (const { agent, model, usage } of whole.values()) {
    const price = changedPrice(changed, agent, model) ?? findPrice(model, pinned.prices, pinned.models);
    sums.set(agent, addSpending(sums.get(agent) ?? nothingSpent, spendingOf(usage, price)));
  }
  return sums;
}

/** An operator's price applies to the agent and to the delegations that it starts. */
function changedPrice(
  changed: ReadonlyMap<string, PriceTable>,
  agent: string,
  model: string,
): PriceTable[string] | undefined {
  if (changed.size === 0) return undefined;
  for (let at: string | undefined = agent; at !== undefined; at = parentOf(at)) {
    const prices = changed.get(at);
    if (prices !== undefined && Object.hasOwn(prices, model)) return prices[model];
  }
  return undefined;
}

/** Adds what each agent spent to the sums of all agents above it. */
export function withDelegations(own: ReadonlyMap<string, Spending>): ReadonlyMap<string, Spending> {
  const sums = new Map<string, Spending>();
  for (const [agent, spent] of own) {
    for (let at: string | undefined = agent; at !== undefined; at = parentOf(at)) {
      sums.set(at, addSpending(sums.get(at) ?? nothingSpent, spent));
    }
  }
  return sums;
}
