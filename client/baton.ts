import type { Client } from '@temporalio/client';
import { defaultLimits, type AgentLimits } from '../domain/agent/settings';
import { chooseModel } from '../domain/model/known-models';
import type { RelayInput } from '../domain/relay';
import type { RunInput } from '../domain/run/input';
import { defaultTaskQueue } from '../temporal-config/task-queues';
import { newRunId } from './new-run-id';
import { batonRun, type RunHandle } from './run-handle';
import { startRelay } from './start-relay';
import { startRun } from './start-run';

export interface BatonOptions {
  /** Where workers take work from; `baton` unless a deployment chose another name. */
  readonly taskQueue?: string;
}

/** What a run is started with; all but the goal may be left out. */
export type RunWishes = Omit<RunInput, 'runId' | 'model' | 'limits'> & {
  /** Starting twice with the same id attaches to the run that is there. */
  readonly runId?: string;
  readonly model?: Parameters<typeof chooseModel>[0];
  readonly limits?: Partial<AgentLimits>;
};

/** Baton over a plain Temporal client, which stays the caller's to close. */
export interface Baton {
  /** Starts a run, or attaches to the one that has this id already. */
  startRun(wishes: RunWishes): Promise<RunHandle>;
  /** Starts a relay, or attaches to the run that has this id already. */
  startRelay(wishes: RunWishes & Pick<RelayInput, 'relay'>): Promise<RunHandle>;
  run(runId: string): RunHandle;
}

export function createBaton(client: Client, { taskQueue = defaultTaskQueue }: BatonOptions = {}): Baton {
  return {
    async startRun(wishes) {
      const { runId } = await startRun(client, taskQueue, complete(wishes));
      return batonRun(client, runId);
    },
    async startRelay({ relay, ...wishes }) {
      const { runId } = await startRelay(client, taskQueue, { ...complete(wishes), relay });
      return batonRun(client, runId);
    },
    run: (runId) => batonRun(client, runId),
  };
}

function complete({ runId = newRunId(), model = {}, limits = {}, ...rest }: RunWishes): RunInput {
  return { ...rest, runId, model: chooseModel(model), limits: { ...defaultLimits, ...limits } };
}
