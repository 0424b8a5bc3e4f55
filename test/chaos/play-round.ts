import { violationsOf } from './checks/all';
import type { Fault, Strike } from './faults/fault';
import { seeded } from './random';
import { Round } from './round';
import type { ChaosSession } from './session/session';
import { callsOf } from './tree/expected';
import { generateTree } from './tree/generate';
import { agentsBelow, type TreePlan } from './tree/plan';

export interface RoundOptions {
  readonly faults: readonly Fault[];
  readonly maxAgents: number;
  /** Positions of the strikes to carry out, from 1. Default: all of the seed's. */
  readonly only?: readonly number[] | undefined;
}

/** What a seed decides: a tree, and what happens to it. */
export interface RoundPlan {
  readonly seed: number;
  readonly tree: TreePlan;
  readonly strikes: readonly Strike[];
}

/** Result of a round. */
export interface RoundResult {
  readonly plan: RoundPlan;
  readonly round: Round;
  readonly agents: number;
  /** Requests that the model received. */
  readonly calls: number;
  /** Those of them that repeat an earlier one. */
  readonly repeated: number;
  readonly ms: number;
  /** Descriptions of what is wrong; empty in a good round. */
  readonly violations: readonly string[];
}

const maxStrikes = 3;
const maxDelayMs = 250;
/** Long enough for a few timeouts of the server, one after the other. */
const endLimitMs = 150_000;
let played = 0;

export function planRound(session: Pick<ChaosSession, 'hasCommands'>, seed: number, options: RoundOptions): RoundPlan {
  const { faults, maxAgents, only } = options;
  // A session may play a seed several times.
  const runId = `c${seed}-${(played += 1)}`;
  const tree = generateTree(seed, runId, { maxAgents, hasCommands: session.hasCommands });
  const calls = agentsBelow(tree.root).flatMap(callsOf).length;
  const random = seeded(seed ^ 0x5bd1e995);
  const count = faults.length === 0 ? 0 : 1 + random(maxStrikes);
  const strikes = Array.from({ length: count }, () => ({
    fault: faults[random(faults.length)]!,
    call: random(calls),
    afterMs: random(maxDelayMs),
  })).sort((a, b) => a.call - b.call);
  return { seed, tree, strikes: strikes.filter((_, index) => only?.includes(index + 1) ?? true) };
}

/** Plays a tree with its strikes, and checks from outside what is left. */
export async function playRound(session: ChaosSession, plan: RoundPlan): Promise<RoundResult> {
  const begun = Date.now();
  const round = new Round(session, plan.tree, plan.strikes, plan.seed);
  const violations = await play(round).catch((error: unknown) => [
    `the round could not be played: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
  ]);
  const names = round.asked.map(({ name }) => name);
  return {
    plan,
    round,
    agents: agentsBelow(plan.tree.root).length,
    calls: names.length,
    repeated: names.length - new Set(names).size,
    ms: Date.now() - begun,
    violations,
  };
}

async function play(round: Round): Promise<string[]> {
  await round.start();
  const ended = round.waitForEnd(endLimitMs);
  try {
    await round.disturb();
    await ended;
  } finally {
    await round.operator?.stop();
  }
  return violationsOf(round);
}
