import type { Client } from '@temporalio/client';
import type { Baton, RunEvent, RunHandle, RunOutcome, StartRunOptions } from '../client';
import type { Session } from '../domain/session';
import type { Store } from '../domain/store';
import { readSpilled } from '../store/blobs';
import { sessionQuery } from '../workflows/messages';
import {
  type CallRecord,
  type ConversationView,
  delegationDepth,
  type Script,
  type ScriptedModel,
  viewConversation,
} from './scripted-model';

/** Options of `Harness.run`. Only `goal` is required; the other fields are those of a run that a client starts. */
export type TestRunOptions = StartRunOptions & {
  /** Plays the model during this run. Default: the script of the harness. */
  readonly script?: Script;
  /** Milliseconds after which the run is terminated and `run` throws. Default: 60,000. */
  readonly timeoutMs?: number;
};

/** A request that the model received, with the parts that tests usually check. */
export interface ModelCall extends CallRecord, ConversationView {
  /** How many levels below the root agent the calling agent is; 0 for the root agent and for agents with a skill. */
  readonly depth: number;
}

/** A run that has ended, and everything that a test can check about it. */
export interface TestRun {
  /** Id of the run, for commands such as `baton tree`. */
  readonly runId: string;
  /** How the run ended: `completed` with a result, `failed` with a failure type and a message, or `cancelled`. */
  readonly outcome: RunOutcome;
  /** The text of the answer; undefined unless the run completed. */
  readonly answer: string | undefined;
  /**
   * Requests to the model during the run, in order of arrival, with those of delegations and with every attempt.
   */
  readonly calls: readonly ModelCall[];
  /** Session of the root agent at its end. `session.slices` contains the records by the name of their slice. */
  readonly session: Session;
  /** Events of the run and of its delegations, as `baton tail` prints them. */
  readonly events: readonly RunEvent[];
  /** Handle of the run, for everything else: its tree, artifacts and files. */
  readonly handle: RunHandle;
}

/** The parts of a harness that a run needs. */
export interface RunEnvironment {
  readonly client: Client;
  readonly baton: Baton;
  readonly model: ScriptedModel;
  readonly store: Store;
}

const defaultTimeoutMs = 60_000;

/**
 * Runs an agent to its end and reads what it left. Throws if the script throws, because retries would only hide the
 * error, and if the run does not end in time. In both cases the run is terminated.
 */
export async function runToEnd(
  environment: RunEnvironment,
  script: Script,
  { timeoutMs = defaultTimeoutMs, ...options }: Omit<TestRunOptions, 'script'>,
): Promise<TestRun> {
  const { baton, model } = environment;
  const firstCall = model.calls.length;
  const scriptFailure = new Promise<never>((_, reject) => {
    model.setScript(reportingErrors(script, reject));
  });
  // The run may end before anyone awaits this.
  scriptFailure.catch(() => undefined);
  const handle = await baton.startRun(options);
  const timeout = createTimeout(timeoutMs);
  try {
    const outcome = await Promise.race([handle.result(), scriptFailure, timeout.reached]);
    if (outcome !== undefined) return await readRun(environment, handle, outcome, firstCall);
    throw await timeoutError(handle, timeoutMs, model.calls.length - firstCall);
  } catch (error) {
    await terminate(environment.client, handle);
    throw error;
  } finally {
    timeout.clear();
  }
}

/** Returns the script with errors also passed to `onError`. The server turns them into responses that are retried. */
function reportingErrors(script: Script, onError: (error: unknown) => void): Script {
  return async (call) => {
    try {
      return await script(call);
    } catch (error) {
      onError(error);
      throw error;
    }
  };
}

async function readRun(
  { client, model, store }: RunEnvironment,
  handle: RunHandle,
  outcome: RunOutcome,
  firstCall: number,
): Promise<TestRun> {
  const { runId, workflowId } = handle;
  const events: RunEvent[] = [];
  for await (const event of handle.events()) events.push(event);
  return {
    runId,
    outcome,
    answer:
      outcome.kind === 'completed' ? await readSpilled(store.forRun(runId), outcome.result.answer, 'test') : undefined,
    calls: model.calls.slice(firstCall).map(describeCall),
    session: await client.workflow.getHandle(workflowId).query(sessionQuery),
    events,
    handle,
  };
}

function describeCall(call: CallRecord): ModelCall {
  const view = viewConversation(call.request);
  return { ...call, ...view, depth: delegationDepth(view) };
}

async function timeoutError(handle: RunHandle, timeoutMs: number, calls: number): Promise<Error> {
  const { message, remedy } = await handle.why();
  return new Error(
    `Run ${handle.runId} did not end within ${timeoutMs} ms. Requests to the model: ${calls}. ` +
      `Diagnosis: ${message}${remedy === null ? '' : ` ${remedy}`}`,
  );
}

/** Ends a run that failed its test. It may have ended in the meantime. */
async function terminate(client: Client, { workflowId }: RunHandle): Promise<void> {
  await client.workflow
    .getHandle(workflowId)
    .terminate('the test is over')
    .catch(() => undefined);
}

function createTimeout(ms: number): { readonly reached: Promise<undefined>; clear(): void } {
  let timer: NodeJS.Timeout | undefined;
  const reached = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  return {
    reached,
    clear: () => {
      clearTimeout(timer);
    },
  };
}
