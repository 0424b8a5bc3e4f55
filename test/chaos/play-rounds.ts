import '../support/quiet-temporal';
import { interruptedCode, watchInterruption } from '../../scripts/interruption';
import { keepEvidence } from './evidence';
import type { ChaosOptions } from './options';
import { planRound, playRound, type RoundResult } from './play-round';
import { describeRound, Tally } from './report';
import { Sessions } from './session/sessions';
import { explainFailure } from './shrink';

/** Plays rounds, and prints a line for each. Returns the exit code: 0 if all were good, 130 if a signal came first. */
export async function playRounds(options: ChaosOptions): Promise<number> {
  const interruption = watchInterruption(print);
  const rounds = new Rounds(options, interruption.signal);
  const playing = rounds.play();
  // What fails after an interruption fails because of it.
  playing.catch(() => undefined);
  try {
    await Promise.race([playing, interruption.came]);
  } finally {
    await rounds.sessions.close();
    interruption.release();
  }
  for (const line of rounds.tally.lines()) print(line);
  if (interruption.signal.aborted) return interruptedCode;
  return rounds.tally.hasFailed ? 1 : 0;
}

class Rounds {
  readonly tally = new Tally();
  readonly sessions = new Sessions();

  constructor(
    private readonly options: ChaosOptions,
    private readonly interrupted: AbortSignal,
  ) {}

  async play(): Promise<void> {
    const { rounds, seed } = this.options;
    let session = await this.sessions.open();
    for (let index = 0; index < rounds; index += 1) {
      const result = await playRound(session, planRound(session, seed + index, this.options));
      // The session was closed while the round was played, so what was found says nothing.
      if (this.interrupted.aborted) return;
      this.tally.add(result);
      print(`${index + 1}/${rounds} ${describeRound(result)}`);
      if (result.violations.length === 0) continue;
      for (const violation of result.violations) print(`  ${violation}`);
      print(`  Histories, logs and store: ${await keepEvidence(result)}`);
      // What a failed round left must not disturb the next one.
      await session.close();
      await this.explain(result);
      if (!this.options.keepGoing) return;
      session = await this.sessions.open();
    }
  }

  private async explain({ plan }: RoundResult): Promise<void> {
    const failsWith = (only: readonly number[]): Promise<boolean> => this.failsWith(plan.seed, only);
    for await (const line of explainFailure(plan, this.options, failsWith)) {
      if (this.interrupted.aborted) return;
      print(`  ${line}`);
    }
  }

  private async failsWith(seed: number, only: readonly number[]): Promise<boolean> {
    const session = await this.sessions.open();
    try {
      const { violations } = await playRound(session, planRound(session, seed, { ...this.options, only }));
      return violations.length > 0;
    } finally {
      await session.close();
    }
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
