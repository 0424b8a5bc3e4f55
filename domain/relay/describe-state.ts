import type { RelayStatus } from '../agent';
import type { RelayDefinition } from './relay-definition';
import type { RelayState } from './state';
import { countItems } from './stored-output';

/** The items that a relay runs at the moment. */
export interface ItemsAtWork {
  readonly step: string;
  readonly round: number;
  /** Number of all items of the step. */
  readonly of: number;
  /** Number of items that have ended. */
  done: number;
}

/** Describes the progress of a relay for people. `current` is undefined before the first step. */
export function describeRelay(
  { name, steps }: RelayDefinition,
  { at, rounds, outputs }: RelayState,
  current: ItemsAtWork | undefined,
): RelayStatus {
  return {
    name,
    at: at + 1,
    steps: steps.map((step, index) => {
      const isCurrent = index === at && current?.step === step.name;
      const ended = countItems(outputs[step.name]);
      const { done, of } = isCurrent ? current : { done: ended, of: ended };
      return {
        name: step.name,
        completed: rounds[step.name] ?? 0,
        ...(isCurrent ? { round: current.round } : {}),
        ...(step.each === undefined || of === 0 ? {} : { items: { done, of } }),
      };
    }),
  };
}
