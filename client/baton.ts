import type { Client } from '@temporalio/client';
import { randomBytes } from 'node:crypto';
import { type AgentLimits, defaultLimits, type RunInput } from '../domain/agent';
import { requireFallback } from '../domain/handoff';
import { type ModelPreferences, resolveModel } from '../domain/model';
import type { RelayInput } from '../domain/relay';
import { defaultTaskQueue } from '../temporal-config/names';
import { rerun, type RerunOptions } from './agent/rerun';
import { batonRun, type RunHandle } from './agent/run-handle';
import { startRelay, startRun } from './agent/start';

/** Options of `createBaton`. */
export interface BatonOptions {
  /** Task queue that the workers poll. Default: `baton`. */
  readonly taskQueue?: string;
}

/**
 * Options that a run is started with. Only `goal` is required, or else `prompt` or `skill`, which decide what the root
 * agent is.
 */
export type StartRunOptions = Omit<RunInput, 'runId' | 'model' | 'limits'> & {
  /**
   * Default: a new id made from the time. If a run with this id already exists, it is attached to instead of started.
   */
  readonly runId?: string;
  /**
   * Default: the model that Baton uses when none is named. Missing fields are completed from `models` and from the models
   * that Baton knows.
   */
  readonly model?: ModelPreferences;
  /** Merged over `defaultLimits`. */
  readonly limits?: Partial<AgentLimits>;
};

/** Options that a relay is started with. Only `goal` and `relay` are required. */
export type StartRelayOptions = Omit<StartRunOptions, 'prompt' | 'skill' | 'goal'> & Pick<RelayInput, 'goal' | 'relay'>;

/** Baton on top of a Temporal client that the caller creates and closes. */
export interface Baton {
  /**
   * Starts a run, or attaches to the run that already has this id. Returns without waiting for the run to end.
   * Throws an `InvalidInputError` before anything is started if an option is invalid.
   */
  startRun(wishes: StartRunOptions): Promise<RunHandle>;
  /** Starts a relay, or attaches to the run that already has this id. Throws like `startRun`. */
  startRelay(wishes: StartRelayOptions): Promise<RunHandle>;
  /**
   * Starts a run or a relay again: with the same input, or from one of its turns onwards. Throws a `BatonError` if the run
   * does not exist, or has no such turn.
   */
  rerun(runId: string, options?: RerunOptions): Promise<RunHandle>;
  /** Returns the handle of a run by its id, without checking that the run exists. */
  run(runId: string): RunHandle;
}

/**
 * Creates the main entry point of the library. Does not contact the server; its methods throw if it can't be reached.
 *
 * @example
 * const { client, close } = await connectClient(await resolveConnection(readSettings()));
 * const run = await createBaton(client).startRun({ goal: 'List the licenses of all dependencies.' });
 * const outcome = await run.result();
 * if (outcome.kind === 'completed') console.log(outcome.result.turns, outcome.result.answer);
 * await close();
 */
export function createBaton(client: Client, { taskQueue = defaultTaskQueue }: BatonOptions = {}): Baton {
  return {
    async startRun(wishes) {
      const { runId } = await startRun(client, taskQueue, complete(wishes));
      return batonRun(client, runId);
    },
    async startRelay({ relay, goal, ...wishes }) {
      const { runId } = await startRelay(client, taskQueue, { ...complete(wishes), goal, relay });
      return batonRun(client, runId);
    },
    async rerun(runId, options = {}) {
      const { runId: started } = await rerun(client, taskQueue, runId, { newId: newRunId(), ...options });
      return batonRun(client, started);
    },
    run: (runId) => batonRun(client, runId),
  };
}

function complete({ runId = newRunId(), model = {}, limits = {}, ...rest }: StartRunOptions): RunInput {
  const resolved = resolveModel(model, rest.models);
  requireFallback({ ...rest, model: resolved });
  return { ...rest, runId, model: resolved, limits: { ...defaultLimits, ...limits } };
}

/** Creates a run id that sorts by time and is easy to type: `20261116-031522-k3f9q1`. */
export function newRunId(now = new Date()): string {
  const time = now.toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  return `${time}-${randomBytes(8).readBigUInt64BE().toString(36).slice(-6).padStart(6, '0')}`;
}
