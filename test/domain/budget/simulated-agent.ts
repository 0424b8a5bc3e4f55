import { type Allowance, type Estimate, nothingSpent, type Spending } from '../../../domain/budget';
import { addSpending, amountSpent, type Dimension, dimensions } from '../../../domain/budget/allowance';
import * as books from '../../../domain/budget/ledger';
import * as reservations from '../../../domain/budget/reservation';
import { noUsage } from '../../../domain/model';
import { noEstimate } from './no-estimate';
import type { Batch, Call, Plan } from './plans';

/** The ledger functions that the simulation uses, so that tests can replace them by broken ones. */
export const realRules = { ...books, ...reservations };
export type Rules = typeof realRules;

export class Violation extends Error {}

/** What all agents of one tree share. */
export interface World {
  readonly rules: Rules;
  /** Chooses which of several agents moves next. */
  readonly pick: (among: number) => number;
  /** Counts of what happened, to check that the trees differ. */
  readonly happened: Record<'called' | 'outOfBudget' | 'started' | 'notStarted' | 'terminated' | 'deep', number>;
}

interface Delegation {
  readonly id: string;
  readonly share: Allowance;
  readonly agent: SimulatedAgent;
  state: 'running' | 'settled' | 'terminated';
}

/**
 * An agent that keeps a ledger by the rules and, independently, a record of what really happened. Each `next()` is one
 * move of this agent or of one below it; after each move, both can be compared.
 */
export class SimulatedAgent {
  ledger: books.Ledger;
  private readonly moves = this.live();
  private moved = 0;
  private bounds: readonly (readonly [Dimension, number])[];
  private readonly delegations: Delegation[] = [];
  private readonly running: Delegation[] = [];
  private ownCalls = nothingSpent;
  /** Billed by the provider for this agent and everything below it, whether the ledgers contain it or not. */
  private billed = nothingSpent;
  private underWay = noEstimate;

  constructor(
    private readonly world: World,
    private readonly plan: Plan,
    allowance: Allowance,
    private readonly parent: SimulatedAgent | null = null,
    private readonly depth = 0,
  ) {
    this.ledger = world.rules.openLedger(allowance);
    this.bounds = boundsOf(allowance);
    if (depth === 3) world.happened.deep += 1;
  }

  move(): 'going on' | 'done' | 'terminated' {
    if (this.parent !== null && this.moved === this.plan.terminatedAfter) return 'terminated';
    this.moved += 1;
    const { done = false } = this.moves.next();
    this.check();
    if (done) this.checkEnd();
    return done ? 'done' : 'going on';
  }

  allowMore(more: Allowance): void {
    this.ledger = this.world.rules.increaseAllowance(this.ledger, more);
    this.bounds = this.bounds.map(([dimension, bound]) => [dimension, bound + (more[dimension] ?? 0)]);
  }

  private *live(): Generator<void, void> {
    if (!(yield* this.call(this.plan.opening)) && this.parent !== null) {
      throw new Violation('a delegation was started whose first call its share does not pay');
    }
    for (const step of this.plan.steps) {
      if ('children' in step) yield* this.delegate(step);
      else if (!(yield* this.call(step))) return;
    }
  }

  private *call({ estimate, actual }: Call): Generator<void, boolean> {
    if (this.world.rules.shortfallForCall(this.ledger, estimate) !== undefined) {
      this.world.happened.outOfBudget += 1;
      return false;
    }
    this.world.happened.called += 1;
    this.underWay = estimate;
    yield;
    // Billed when it is made: an agent that is terminated before the reply arrives never records it.
    this.bill(actual);
    yield;
    this.underWay = noEstimate;
    this.ownCalls = addSpending(this.ownCalls, actual);
    this.ledger = this.world.rules.charge(this.ledger, actual);
    return true;
  }

  private bill(spending: Spending): void {
    this.billed = addSpending(this.billed, spending);
    this.parent?.bill(spending);
  }

  private *delegate(batch: Batch): Generator<void, void> {
    const queue = [...batch.children];
    const given: Allowance[] = [];
    for (;;) {
      while (queue.length > 0 && this.running.length < batch.window) {
        const started = this.start(batch, queue, given);
        if (started !== undefined) this.running.push(started);
      }
      if (this.running.length === 0) break;
      const at = this.world.pick(this.running.length);
      if (this.advance(this.running[at]!)) this.running.splice(at, 1);
      yield;
    }
    if (given.length > 0) this.requireRoom(batch.own, 'after its delegations, an agent could not pay its next call');
  }

  private start(batch: Batch, queue: Plan[], given: Allowance[]): Delegation | undefined {
    const waiting = queue.length;
    const plan = queue.shift()!;
    const id = `d${this.delegations.length + 1}`;
    const { cap, opening } = plan;
    const reservation = this.world.rules.reserve(this.ledger, id, {
      cap,
      waiting,
      own: batch.own,
      first: opening.estimate,
    });
    if (!reservation.ok) {
      const { dimension, left } = reservation.lack;
      requireFair({ [dimension]: left }, given, cap);
      this.world.happened.notStarted += 1;
      return undefined;
    }
    const { ledger, share } = reservation;
    requireFair(share, given, cap);
    this.ledger = ledger;
    this.requireRoom(batch.own, 'a share was given that the agent needs for its own next call');
    given.push(share);
    this.world.happened.started += 1;
    const agent = new SimulatedAgent(this.world, plan, share, this, this.depth + 1);
    const delegation: Delegation = { id, share, agent, state: 'running' };
    this.delegations.push(delegation);
    return delegation;
  }

  /** True when the agent has finished. */
  private advance(delegation: Delegation): boolean {
    const { id, agent } = delegation;
    const { rules, happened } = this.world;
    switch (agent.move()) {
      case 'going on':
        return false;
      case 'done':
        this.ledger = rules.settleReservation(this.ledger, id, rules.totalSpent(agent.ledger));
        delegation.state = 'settled';
        return true;
      case 'terminated':
        happened.terminated += 1;
        this.ledger = rules.forfeitReservation(this.ledger, id);
        delegation.state = 'terminated';
        return true;
    }
  }

  /** Invariants that hold at any moment. A move passes through all agents above, so each of them is checked again. */
  private check(): void {
    const spent = this.world.rules.totalSpent(this.ledger);
    const shares = Object.values(this.ledger.reserved);
    for (const [dimension, bound] of this.bounds) {
      let held = 0;
      for (const share of shares) held += share[dimension] ?? 0;
      const told = amountSpent(dimension, spent);
      const billed = amountSpent(dimension, this.billed);
      const underWay = this.underWay[dimension];
      if (told + held > bound) throw new Violation(`${told} ${dimension} spent and ${held} reserved of ${bound}`);
      if (billed > bound) throw new Violation(`${billed} ${dimension} billed of ${bound}`);
      if (told + held + underWay > bound) throw new Violation(`a call was made that ${dimension} do not pay`);
      if (billed > told + held + underWay)
        throw new Violation(`${billed} ${dimension} billed that nobody has reserved`);
    }
    this.checkReservations();
  }

  private checkReservations(): void {
    const holding = this.running.filter(({ share }) => Object.keys(share).length > 0);
    const held = Object.keys(this.ledger.reserved);
    if (held.length !== holding.length || !holding.every(({ id }) => held.includes(id))) {
      throw new Violation('reservations are not those of the running delegations');
    }
  }

  /** Invariants that hold when an agent has finished. */
  private checkEnd(): void {
    requireSame(this.world.rules.totalSpent(this.ledger), this.accountable(), 'the ledger is not the sum of usages');
  }

  /** Its own calls and those of everything below. For a terminated delegation, its whole share. */
  private accountable(): Spending {
    return this.delegations.reduce(
      (all, { state, agent, share }) => addSpending(all, state === 'settled' ? agent.accountable() : whole(share)),
      this.ownCalls,
    );
  }

  private requireRoom(estimate: Estimate, violated: string): void {
    const { remainingAllowance: available } = this.world.rules;
    for (const [dimension, left] of boundsOf(available(this.ledger))) {
      if (estimate[dimension] > left) throw new Violation(violated);
    }
  }
}

/** A later delegation gets no less than an earlier one, unless its cap is lower, and never more than its cap. */
function requireFair(share: Allowance, given: readonly Allowance[], cap: Allowance): void {
  for (const [dimension, amount] of boundsOf(share)) {
    const most = cap[dimension] ?? Infinity;
    if (amount > most) throw new Violation('a share was larger than the cap');
    for (const earlier of given) {
      if (amount < Math.min(earlier[dimension] ?? 0, most))
        throw new Violation('one was given less than one before it');
    }
  }
}

function boundsOf(allowance: Allowance): [Dimension, number][] {
  return dimensions.flatMap((dimension) => {
    const bound = allowance[dimension];
    return bound === undefined ? [] : [[dimension, bound]];
  });
}

function whole({ tokens = 0, microUsd = 0, turns = 0 }: Allowance): Spending {
  return { usage: { ...noUsage, input: tokens }, microUsd, turns };
}

function requireSame(found: unknown, expected: unknown, violated: string): void {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
  if (a !== b) throw new Violation(`${violated}: ${a} instead of ${b}`);
}
