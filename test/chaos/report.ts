import type { ChaosOptions } from './options';
import type { RoundPlan, RoundResult } from './play-round';

function describeStrikes({ strikes }: RoundPlan): string {
  if (strikes.length === 0) return 'undisturbed';
  return strikes.map(({ fault, call, afterMs }) => `${fault.name} at call ${call} + ${afterMs} ms`).join(', ');
}

/** One line about a round. */
export function describeRound({ plan, round, agents, calls, repeated, ms, violations }: RoundResult): string {
  const verdict = violations.length === 0 ? 'ok' : 'FAILED';
  const figures = `${agents} agents, ${calls} calls, ${repeated} repeated, ${(ms / 1_000).toFixed(1)} s`;
  const stall = round.wasStalled ? `, the machine stalled for ${(round.longestStallMs / 1_000).toFixed(1)} s` : '';
  return `seed ${plan.seed}: ${describeStrikes(plan)}; ${figures}${stall}; ${verdict}`;
}

/** The command that plays a round again, with some of its faults. */
export function repeatCommand({ faults, maxAgents }: ChaosOptions, seed: number, only?: readonly number[]): string {
  const names = faults.length === 0 ? 'none' : faults.map(({ name }) => name).join(',');
  const part = only === undefined ? '' : ` --only ${only.join(',')}`;
  return `npm run chaos -- --seed ${seed} --rounds 1 --agents ${maxAgents} --faults ${names}${part}`;
}

/** Figures of all rounds: how often each kind of fault was carried out, and what it cost. */
export class Tally {
  private rounds = 0;
  private failed = 0;
  private agents = 0;
  private calls = 0;
  private repeated = 0;
  private stalled = 0;
  private readonly begun = Date.now();
  private readonly byFault = new Map<string, { strikes: number; failed: number }>();

  add({ plan, round, agents, calls, repeated, violations }: RoundResult): void {
    const isFailed = violations.length > 0;
    this.rounds += 1;
    this.failed += isFailed ? 1 : 0;
    this.agents += agents;
    this.calls += calls;
    this.repeated += repeated;
    this.stalled += round.wasStalled ? 1 : 0;
    for (const { fault } of plan.strikes) {
      const { strikes, failed } = this.byFault.get(fault.name) ?? { strikes: 0, failed: 0 };
      this.byFault.set(fault.name, { strikes: strikes + 1, failed: failed + (isFailed ? 1 : 0) });
    }
  }

  get hasFailed(): boolean {
    return this.failed > 0;
  }

  lines(): string[] {
    const minutes = ((Date.now() - this.begun) / 60_000).toFixed(1);
    const sum = `${this.agents} agents, ${this.calls} model calls, ${this.repeated} of them repeated`;
    return [
      `${this.rounds} rounds in ${minutes} minutes: ${this.rounds - this.failed} good, ${this.failed} failed; ${sum}`,
      ...(this.stalled === 0
        ? []
        : [`  The machine stalled in ${this.stalled} rounds, which excuses a repeated call.`]),
      ...[...this.byFault]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, { strikes, failed }]) => `  ${name.padEnd(20)} ${strikes} times, ${failed} in failed rounds`),
    ];
  }
}
