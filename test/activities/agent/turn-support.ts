import {
  areTurns,
  expandTurn,
  type RunTurnInput,
  type RunTurnResult,
  type ToldInput,
  type TurnReply,
} from '../../../domain/agent';

/** Input of a turn, with everything that the model is told side by side. Empty lists are omitted from the input. */
export type TurnToTake = Omit<RunTurnInput, 'told'> & ToldInput;

/** Builds the input of a turn as workflows do. */
export function turnInput(turn: TurnToTake): RunTurnInput {
  const { outcomes, ran, verdicts, withheld, notes, steering, changes, head, ...rest } = turn;
  const told = Object.entries({ outcomes, ran, verdicts, withheld, notes, steering, changes }).filter(
    ([, value]) => value !== undefined && (!Array.isArray(value) || value.length > 0),
  );
  return {
    ...rest,
    head: { hash: head.hash, bytes: head.bytes },
    ...(told.length === 0 ? {} : { told: Object.fromEntries(told) }),
  };
}

/** Returns the reply of a turn. Fails if the model was not called. */
export function replyOf(turn: RunTurnResult): TurnReply {
  if (!areTurns(turn)) throw new Error(JSON.stringify(turn));
  return expandTurn(turn);
}
