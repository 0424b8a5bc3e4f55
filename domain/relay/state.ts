import { z } from 'zod';
import { type Json, type JsonObject, uncheckedList } from '../kernel';
import type { BlobRef } from '../store';

/** The values that a relay uses of one final message: for every path in the definition, all values it selects. */
export const selectedValuesSchema = z.record(z.string(), uncheckedList<Json>());
export type SelectedValues = Readonly<z.infer<typeof selectedValuesSchema>>;

/** An output that is in the store because it is large. */
export interface StoredOutput {
  readonly stored: BlobRef;
  /** Number of items. */
  readonly items: number;
}

/** Selected values of a completed step, one entry per item. A step without fan-out has one item. */
export type StepOutput = readonly SelectedValues[] | StoredOutput;

/** The progress of a relay. Plain JSON, because it is passed through continue-as-new. */
export interface RelayState {
  readonly goal: string;
  /** Index of the current or next step. */
  readonly at: number;
  /** Selected values of the items of that step that have completed, in order. */
  readonly done: readonly SelectedValues[];
  /** Outputs of completed steps. */
  readonly outputs: Readonly<Record<string, StepOutput>>;
  /** How many times each step has completed. */
  readonly rounds: Readonly<Record<string, number>>;
  /** How many times the loop of each step was taken. */
  readonly loops: Readonly<Record<string, number>>;
  /** Additional input for the step that a loop went back to. */
  readonly feedback: { readonly step: string; readonly input: JsonObject } | null;
  /** Owner (`step#index`) of each artifact. In a later round an item may replace its own artifacts. */
  readonly owners: Readonly<Record<string, string>>;
  readonly failure: string | null;
}

/** Returns the state of a relay before its first step. */
export function initialRelayState(goal: string): RelayState {
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
