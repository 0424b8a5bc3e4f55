import { Context } from '@temporalio/activity';
import {
  type Burst,
  mayGoOn,
  nextInBurst,
  type RunTurnInput,
  type Turn,
  type TurnFailure,
  type RunTurnResult,
  type Turns,
} from '../../../domain/agent';
import { type CallRefused, isCallRefused } from '../../../domain/model';
import { maxPayloadBytes } from '../../../domain/store';
import { measurePayload } from '../../../store/blobs';
import { Attempt, callingAgent } from '../../attempt';
import type { SharedDependencies } from '../../dependencies';
import { flushed } from '../../flushed';
import { whileHeartbeating } from '../../heartbeat';
import { BurstSignal } from './burst-signal';
import { finalFailure } from './final-failure';
import { LiveReplyWriter } from './live-reply-writer';
import { takeTurn, type TakenTurn, type TurnContext } from './take-turn';
import { TurnSteps } from './turn-steps';

/** Takes the next turn of an agent and, if it may, those after it. */
export async function runTurn(dependencies: SharedDependencies, input: RunTurnInput): Promise<RunTurnResult> {
  try {
    return await flushed(dependencies, (own) => takeOneOrMore(own, input));
  } catch (error) {
    const unsaved = Attempt.current().left;
    // Operators can interrupt a burst between two attempts, and what an attempt has left would be lost with it.
    if (input.burst === undefined || unsaved === undefined || unsaved.key === input.unsaved?.key) throw error;
    return { unsaved };
  }
}

function takeOneOrMore(dependencies: SharedDependencies, input: RunTurnInput): Promise<Turns | CallRefused> {
  const { burst, ...first } = input;
  const steps = new TurnSteps(first.identity.call);
  return whileHeartbeating(
    (signal) =>
      whileShowing(dependencies, input, async (live) => {
        if (burst !== undefined)
          return inBurst(dependencies, burst, (until) => takeTurns(dependencies, first, burst, { until, live, steps }));
        const taken = await takeTurn(dependencies, first, { signal, live, steps });
        return isCallRefused(taken) ? taken : taken.turn;
      }),
    () => steps.progress,
  );
}

/** Shows people what the model says. If the work fails, what it said so far counts for nothing. */
async function whileShowing<Result>(
  { store }: SharedDependencies,
  { runId }: RunTurnInput,
  work: (live: LiveReplyWriter) => Promise<Result>,
): Promise<Result> {
  const { attempt } = Context.current().info;
  const live = new LiveReplyWriter(store.forRun(runId).volatile, { workflowId: callingAgent(), attempt });
  try {
    return await work(live);
  } finally {
    live.close();
  }
}

async function inBurst<Result>(
  dependencies: SharedDependencies,
  { deadline }: Burst,
  work: (signal: BurstSignal) => Promise<Result>,
): Promise<Result> {
  const signal = new BurstSignal(dependencies, deadline);
  try {
    return await work(signal);
  } finally {
    signal.close();
  }
}

/** What the turns of a burst have in common. */
interface BurstContext extends TurnContext {
  readonly until: BurstSignal;
}

/** Time after which no further turn begins, in milliseconds. Until the activity ends, nobody sees its turns. */
const maxBurstMs = 5_000;

/**
 * Takes turns until one leaves something to the workflow, or a limit is near. Every turn has its own records under the
 * same keys as if it had an activity of its own, so an attempt after a crash finds all that were taken, and the workflow
 * can take any of them over one by one.
 */
async function takeTurns(
  dependencies: SharedDependencies,
  first: RunTurnInput,
  burst: Burst,
  { until: signal, live, steps }: Omit<BurstContext, 'signal'>,
): Promise<Turns | CallRefused> {
  let begun = performance.now();
  let input = first;
  const context = { signal: signal.abort, until: signal, live, steps };
  let taken = await takeTurn(dependencies, input, context);
  if (isCallRefused(taken)) return taken;
  const turns = [taken.turn];
  let failed: TurnFailure | undefined;
  while (mayGoOn(burst, { turns, maxTokens: taken.request.settings.maxTokens })) {
    // What an earlier attempt has paid for takes no time, and counts whoever waits.
    if (taken.isRepeated) begun = performance.now();
    const isOver = signal.isYielding || performance.now() - begun >= maxBurstMs;
    input = withoutReading(nextInBurst(input, taken.turn), taken);
    if (isOver) input = { ...input, paidOnly: true };
    const next = await takeFurther(dependencies, input, context);
    // One that does not fit into the result is taken by the workflow: the journal has it.
    if (next === undefined || isTooLarge(turns, next)) break;
    if ('failed' in next) {
      failed = next.failed;
      break;
    }
    taken = next;
    turns.push(taken.turn);
  }
  const [turn = taken.turn, ...more] = turns;
  return { ...turn, ...(more.length === 0 ? {} : { more }), ...(failed === undefined ? {} : { failed }) };
}

/** Room that a result needs besides its turns, in bytes. */
const envelope = 1_024;

function isTooLarge(turns: readonly Turn[], next: TakenTurn | { readonly failed: TurnFailure }): boolean {
  return measurePayload([...turns, 'failed' in next ? next.failed : next.turn]) > maxPayloadBytes - envelope;
}

/** Leaves the tools that read the session to the workflow: it has what the turns so far have changed. */
function withoutReading(input: RunTurnInput, { request }: TakenTurn): RunTurnInput {
  const reading = request.tools.flatMap(({ name, reads = [] }) => (reads.length === 0 ? [] : [name]));
  const { slices: _slices, except = [], ...inside } = input.inside ?? {};
  return { ...input, inside: { ...inside, except: [...new Set([...except, ...reading])] } };
}

/**
 * Takes another turn. If it fails and is worth another attempt, so does the activity: the next attempt finds the turns
 * before in the journal, and waits as long as the provider asked for. If it fails for good, its failure goes to the
 * workflow with the turns before. Undefined for a call that may not be made, and for one that failed while an operator
 * waits: the workflow begins the same turn by itself.
 */
async function takeFurther(
  dependencies: SharedDependencies,
  input: RunTurnInput,
  context: BurstContext,
): Promise<TakenTurn | { readonly failed: TurnFailure } | undefined> {
  const { until } = context;
  try {
    const taken = await takeTurn(dependencies, input, context);
    return isCallRefused(taken) ? undefined : taken;
  } catch (error) {
    if (Attempt.current().left !== undefined) throw error;
    if (until.isYielding && !until.isCancelled) return undefined;
    const failed = until.isCancelled ? undefined : finalFailure(error, dependencies.redact);
    if (failed === undefined) throw error;
    return { failed };
  }
}
