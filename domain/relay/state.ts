import type { Json, JsonObject } from '../json-value';

/** What a relay uses of one final message: for every path that the definition names, all that it leads to. */
export type PickedValues = Readonly<Record<string, readonly Json[]>>;

/** How far a relay has come. Plain JSON: it goes through continue-as-new. */
export interface RelayState {
  readonly goal: string;
  /** Index of the step that is next, or being carried out. */
  readonly at: number;
  /** Of the items of that step, those that are done, in their order. */
  readonly done: readonly PickedValues[];
  /** Of the steps that were carried out, one entry for each item; a step without fan-out has one item. */
  readonly outputs: Readonly<Record<string, readonly PickedValues[]>>;
  /** How often each step was begun. */
  readonly rounds: Readonly<Record<string, number>>;
  /** How often each step sent the relay back. */
  readonly loops: Readonly<Record<string, number>>;
  /** What the step that the relay went back to is told besides. */
  readonly feedback: { readonly step: string; readonly input: JsonObject } | null;
  /** Which item of which step left an artifact: in a later round it may replace its own. */
  readonly owners: Readonly<Record<string, string>>;
  readonly failure: string | null;
}

export function firstState(goal: string): RelayState {
  return {
    goal,
    at: 0,
    done: [],
    outputs: {},
    rounds: {},
    loops: {},
    feedback: null,
    owners: {},
    failure: null,
  };
}
