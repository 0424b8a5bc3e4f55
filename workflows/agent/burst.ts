import { CancellationScope } from '@temporalio/workflow';
import {
  type Burst,
  isUnsavedAnswer,
  maxBurstTurns,
  type RunTurnInput,
  type RunTurnResult,
  type Turns,
} from '../../domain/agent';
import { undisturbedRoom } from '../../domain/handoff';
import { type CallRefused, isCallRefused } from '../../domain/model';
import { priceFor } from '../budget/spending';
import { isCancelled } from '../failures';
import type { OperatorInbox } from '../operator/operator-inbox';
import type { Agent } from './agent';
import { limitOfModel } from './limited-turns';

/**
 * Returns which turns the next activity may take by itself; undefined for a single turn. By default, delegations take
 * several at a time: nobody talks with them turn by turn. Others may change a shared session at any time, so its writers
 * take single turns.
 */
export function burstFor(agent: Agent): Burst | undefined {
  const { settings, progress, shared, inbox, depth } = agent;
  const { tuning = {}, deadline } = settings;
  const { turnsPerActivity = depth === 0 ? 1 : maxBurstTurns, turnsPerExecution, toolsInside } = tuning;
  if (turnsPerActivity === 1 || toolsInside === false || shared !== null || inbox.state.steering.length > 0)
    return undefined;
  // The server counts activities as requests.
  if (limitOfModel(settings) !== undefined || repeatsItself(agent)) return undefined;
  const { turns: further, window, budget } = undisturbedRoom(settings, progress);
  const ofExecution =
    turnsPerExecution === undefined ? Infinity : turnsPerExecution - (progress.calls - agent.firstCall);
  const turns = Math.min(turnsPerActivity, further + 1, ofExecution);
  if (turns < 2) return undefined;
  const price = budget?.microUsd === undefined ? undefined : priceFor(settings);
  return {
    turns,
    window,
    ...(budget === undefined ? {} : { budget }),
    ...(price === undefined ? {} : { price }),
    ...(deadline === undefined ? {} : { deadline }),
  };
}

/** An agent that has begun to repeat itself is judged after every turn. */
function repeatsItself({ settings: { limits }, progress: { repetition } }: Agent): boolean {
  const { maxRepeats = 0 } = limits;
  return maxRepeats > 0 && (maxRepeats < 3 || repetition?.same.some((count) => count > 0) === true);
}

/**
 * Has turns taken. An answer that the store did not take goes to the next activity, so that it is never paid for again.
 * Undefined if an operator interrupted a burst before the first of its turns: nothing more was paid for.
 */
export function takeTurns(
  inbox: OperatorInbox,
  input: RunTurnInput,
  take: (input: RunTurnInput) => Promise<RunTurnResult>,
): Promise<Turns | CallRefused | undefined> {
  let next = input;
  // Not async, because every promise costs time, and most turns are taken at once.
  const taken = (): Promise<Turns | CallRefused> =>
    take(next).then((result) => {
      if (!isUnsavedAnswer(result)) return result;
      next = { ...next, unsaved: result.unsaved };
      return taken();
    });
  if (input.burst === undefined) return taken();
  return untilInterrupted(inbox, taken).then(async (turns) => {
    if (turns !== undefined) return turns;
    // What its attempts have paid for is taken over, before anything else is said to the model.
    next = { ...next, paidOnly: true };
    const paid = await taken();
    return isCallRefused(paid) ? undefined : paid;
  });
}

/**
 * Waits for a burst. When an operator pauses or steers the agent meanwhile, the activity is cancelled: it then finishes the
 * turn that it is in, and returns those that it has taken. Undefined if it ended before its next attempt.
 */
async function untilInterrupted<Result>(inbox: OperatorInbox, run: () => Promise<Result>): Promise<Result | undefined> {
  const outer = CancellationScope.current();
  const scope = new CancellationScope();
  inbox.onInput = () => {
    scope.cancel();
  };
  try {
    return await scope.run(run);
  } catch (error) {
    if (isCancelled(error) && !outer.consideredCancelled) return undefined;
    throw error;
  } finally {
    inbox.onInput = undefined;
  }
}
