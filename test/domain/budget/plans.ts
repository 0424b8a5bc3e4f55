import * as fc from 'fast-check';
import type { Allowance, Estimate, Spending } from '../../../domain/budget';
import { totalTokens } from '../../../domain/model';

/** One call: its estimate, and what it actually takes. */
export interface Call {
  readonly estimate: Estimate;
  readonly actual: Spending;
}

export interface Batch {
  readonly window: number;
  /** What the agent reserves for its own next call and handoff. */
  readonly own: Estimate;
  readonly children: readonly Plan[];
}

/** What an agent does as far as its budget allows. */
export interface Plan {
  readonly cap: Allowance;
  readonly opening: Call;
  readonly steps: readonly (Call | Batch)[];
  /** Number of moves after which it is terminated; null for never. */
  readonly terminatedAfter: number | null;
}

export interface Tree {
  readonly allowance: Allowance;
  readonly root: Plan;
  /** An operator increases the root's budget after this many moves. */
  readonly extension: { readonly after: number; readonly more: Allowance } | null;
  /** Seed that decides which agent moves next. */
  readonly picks: readonly number[];
}

const upTo = (max: number): fc.Arbitrary<number> => fc.integer({ min: 0, max });

/** Derives the values of a call from the digits of one random number, which makes trees cheap to generate. */
const call: fc.Arbitrary<Call> = upTo(9_999_999).map((number) => {
  const [input, cacheRead, cacheWrite, output, microUsd, unusedTokens, unusedMicroUsd] = digitsOf(number);
  const usage = { input, cacheRead, cacheWrite, output };
  const tokens = totalTokens(usage) + unusedTokens + 1;
  const estimate = { tokens, microUsd: microUsd + unusedMicroUsd + 1, turns: 1 };
  return { estimate, actual: { usage, microUsd, turns: 1 } };
});

type Seven<T> = [T, T, T, T, T, T, T];

function digitsOf(number: number): Seven<number> {
  return Array.from({ length: 7 }, (_, place) => Math.floor(number / 10 ** place) % 10) as Seven<number>;
}

const own: fc.Arbitrary<Estimate> = fc.record({ tokens: upTo(40), microUsd: upTo(20), turns: upTo(2) });

function allowance(tokens: number, microUsd: number, turns: number): fc.Arbitrary<Allowance> {
  return fc.record({ tokens: upTo(tokens), microUsd: upTo(microUsd), turns: upTo(turns) }, { requiredKeys: [] });
}

/** Mostly null. */
function seldom<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return fc.oneof({ arbitrary: fc.constant(null), weight: 4 }, { arbitrary, weight: 1 });
}

function plan(levelsBelow: number): fc.Arbitrary<Plan> {
  const steps: fc.Arbitrary<Call | Batch> =
    levelsBelow === 0
      ? call
      : fc.oneof({ arbitrary: call, weight: 1 }, { arbitrary: batch(levelsBelow), weight: levelsBelow });
  return fc.record({
    cap: seldom(allowance(200, 100, 10)).map((cap) => cap ?? {}),
    opening: call,
    steps: fc.array(steps, { minLength: levelsBelow > 2 ? 1 : 0, maxLength: 3, size: 'max' }),
    terminatedAfter: seldom(upTo(12)),
  });
}

function batch(levelsBelow: number): fc.Arbitrary<Batch> {
  return fc.record({
    window: fc.integer({ min: 1, max: 3 }),
    own,
    children: fc.array(plan(levelsBelow - 1), { minLength: 1, maxLength: 3, size: 'max' }),
  });
}

/** Up to three levels of delegations below the root. */
export const trees: fc.Arbitrary<Tree> = fc.record({
  allowance: fc.oneof(
    allowance(200, 100, 10),
    fc.constant({ tokens: 2_000, microUsd: 1_000 }),
    allowance(9_000, 4_000, 400),
  ),
  root: plan(3),
  extension: seldom(fc.record({ after: upTo(30), more: allowance(300, 150, 15) })),
  picks: fc.array(upTo(5), { minLength: 1, maxLength: 20, size: 'max' }),
});
