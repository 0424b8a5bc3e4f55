import { defaultLimits } from '../../domain/agent/agent-settings';
import { resolveModel } from '../../domain/model/models';
import type { RunInput } from '../../domain/agent/contract';
import { newRunId } from '../../client/new-run-id';
import type { Stage } from './stage';

/** Returns the input of a demo run: it works on the sample project and detects a dead worker quickly. */
export function runFor({ workspace }: Stage, goal: string): RunInput {
  return {
    runId: `demo-${newRunId()}`,
    goal,
    model: resolveModel({}),
    workspace: { root: workspace },
    limits: { ...defaultLimits, maxTurns: 30 },
    tuning: { heartbeatTimeoutMs: 2_000 },
  };
}
