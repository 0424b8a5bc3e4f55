import { log } from '@temporalio/activity';
import { type Burst, mayGoOn, nextInBurst, type RunTurnInput, type Turns } from '../../../domain/agent';
import { type CallRefused, isCallRefused } from '../../../domain/model';
import type { SharedDependencies } from '../../dependencies';
import { whileHeartbeating } from '../../heartbeat';
import { BurstSignal } from './burst-signal';
import { takeTurn, type TakenTurn } from './take-turn';

/** Takes the next turn of an agent and, if it may, those after it. */
export function runTurn(dependencies: SharedDependencies, input: RunTurnInput): Promise<Turns | CallRefused> {
  const { burst, ...first } = input;
  return whileHeartbeating(async (signal) => {
    if (burst !== undefined) return inBurst(dependencies, (until) => takeTurns(dependencies, first, burst, until));
    const taken = await takeTurn(dependencies, first, signal);
    return isCallRefused(taken) ? taken : taken.turn;
  });
}

async function inBurst<Result>(
  dependencies: SharedDependencies,
  work: (signal: BurstSignal) => Promise<Result>,
): Promise<Result> {
  const signal = new BurstSignal(dependencies);
  try {
    return await work(signal);
  } finally {
    signal.close();
  }
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
  signal: BurstSignal,
): Promise<Turns | CallRefused> {
  const begun = performance.now();
  let input = first;
  let taken = await takeTurn(dependencies, input, signal.abort);
  if (isCallRefused(taken)) return taken;
  const turns = [taken.turn];
  const hasTime = (): boolean => performance.now() - begun < maxBurstMs;
  while (hasTime() && !signal.isYielding && mayGoOn(burst, { turns, maxTokens: taken.request.settings.maxTokens })) {
    // Runs beside the next model call. The activity returns only when everything is durable.
    dependencies.flush().catch(() => undefined);
    input = withoutReading(nextInBurst(input, taken.turn), taken);
    const next = await takeFurther(dependencies, input, signal);
    if (next === undefined) break;
    taken = next;
    turns.push(taken.turn);
  }
  const [turn = taken.turn, ...more] = turns;
  return more.length === 0 ? turn : { ...turn, more };
}

/** Leaves the tools that read the session to the workflow: it has what the turns so far have changed. */
function withoutReading(input: RunTurnInput, { request }: TakenTurn): RunTurnInput {
  const reading = request.tools.flatMap(({ name, reads = [] }) => (reads.length === 0 ? [] : [name]));
  const { slices: _slices, except = [], ...inside } = input.inside ?? {};
  return { ...input, inside: { ...inside, except: [...new Set([...except, ...reading])] } };
}

/**
 * Takes another turn. Undefined if it fails or may not be made: what was taken so far is not lost, and the workflow begins
 * the same turn by itself, with all attempts that a turn has.
 */
async function takeFurther(
  dependencies: SharedDependencies,
  input: RunTurnInput,
  signal: BurstSignal,
): Promise<TakenTurn | undefined> {
  try {
    const taken = await takeTurn(dependencies, input, signal.abort);
    return isCallRefused(taken) ? undefined : taken;
  } catch (error) {
    if (signal.isCancelled) throw error;
    log.info('A turn failed after others in the same activity; the agent takes it again in an activity of its own', {
      call: input.identity.call,
      error,
    });
    return undefined;
  }
}
