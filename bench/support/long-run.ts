import { defaultLimits } from '../../domain/agent';
import { runWorkflowId } from '../../domain/kernel';
import { type Noise, noiseGoal } from '../workloads';
import type { BenchEnvironment } from './environment';
import { newRunId, playRun } from './runs';
import type { Observed, TurnProbe } from './turn-probe';

/** A long conversation that has been played. */
export interface LongRun {
  readonly runId: string;
  readonly observed: Observed;
}

/** Plays a long conversation with Baton. Measures its history around these turns. */
export async function playLongRun(
  environment: BenchEnvironment,
  probe: TurnProbe,
  work: Noise,
  turns: readonly number[] = [],
): Promise<LongRun> {
  const runId = newRunId();
  const observed = probe.watch({ client: environment.client, workflowId: runWorkflowId(runId), turns });
  await playRun(environment, {
    runId,
    goal: noiseGoal(work),
    model: { name: 'claude-sonnet-5-5', maxTokens: 1_000, window: 100_000_000 },
    limits: { ...defaultLimits, maxTurns: work.turns + 1 },
  });
  return { runId, observed };
}
