import { defaultLimits } from '../../domain/agent/settings';
import { chooseModel } from '../../domain/model/known-models';
import type { RunInput } from '../../domain/run/input';
import { newRunId } from '../new-run-id';
import type { Stage } from './stage';

/** Returns the input of a demo run: it works on the sample project and detects a dead worker quickly. */
export function runFor({ workspace }: Stage, goal: string): RunInput {
  return {
    runId: `demo-${newRunId()}`,
    goal,
    model: chooseModel({}),
    workspace: { root: workspace },
    limits: { ...defaultLimits, maxTurns: 30 },
    tuning: { heartbeatTimeoutMs: 2_000 },
  };
}
