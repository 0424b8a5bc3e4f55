import { defaultLimits } from '../../domain/agent/settings';
import { chooseModel } from '../../domain/model/known-models';
import type { RunInput } from '../../domain/run/input';
import { newRunId } from '../new-run-id';
import type { Stage } from './stage';

/** A run of the demo: on the sample project, and quick to notice a dead worker. */
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
