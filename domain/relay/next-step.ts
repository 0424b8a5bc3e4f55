import type { Json, JsonObject } from '../json-value';
import { defaultMaxItems, type RelayDefinition, type RelayStep } from './definition';
import { resolve } from './picks';
import type { RelayState } from './state';
import { mapInput } from './step-input';

export interface ItemToRun {
  /** From 0. */
  readonly index: number;
  readonly input: JsonObject;
}

/** What is to be done now. */
export type RelayMove =
  | {
      readonly kind: 'run';
      readonly step: RelayStep;
      /** How often the step was begun, this time included. */
      readonly round: number;
      /** Of so many items… */
      readonly of: number;
      /** …these now, side by side. */
      readonly items: readonly ItemToRun[];
    }
  | { readonly kind: 'finish' }
  | { readonly kind: 'fail'; readonly message: string };

/** The items of a step that has a fan-out; undefined for a step that has none. */
export type StepItems =
  { readonly ok: true; readonly items: readonly Json[] } | { readonly ok: false; readonly problem: string };

export function nextStep(relay: RelayDefinition, state: RelayState): RelayMove {
  if (state.failure !== null) return { kind: 'fail', message: state.failure };
  const step = relay.steps[state.at];
  if (step === undefined) return { kind: 'finish' };
  const found = itemsOf(relay, state, step);
  if (!found.ok) return fail(step, found.problem);
  const next = state.done.length;
  // Items that write files build on each other, so they take turns unless the relay says that they write none.
  const until = step.parallel === true ? found.items.length : next + 1;
  const items: ItemToRun[] = [];
  for (const [index, value] of found.items.entries()) {
    if (index < next || index >= until) continue;
    const mapped = mapInput(relay, state, step.input, step.each === undefined ? undefined : { value });
    if (!mapped.ok) return fail(step, `its input is not complete: ${mapped.problem}`);
    const told = state.feedback?.step === step.name ? state.feedback.input : {};
    items.push({ index, input: { ...mapped.input, ...told } });
  }
  return { kind: 'run', step, round: (state.rounds[step.name] ?? 0) + 1, of: found.items.length, items };
}

/** A step without fan-out has one item, which nobody looks at. */
export function itemsOf(relay: RelayDefinition, state: RelayState, step: RelayStep): StepItems {
  if (step.each === undefined) return { ok: true, items: [null] };
  const list = resolve(relay, state, step.each.from);
  if (!Array.isArray(list)) {
    return { ok: false, problem: `${step.each.from} is ${list === undefined ? 'not there' : 'no list'}` };
  }
  const limit = step.maxItems ?? defaultMaxItems;
  if (list.length <= limit) return { ok: true, items: list as readonly Json[] };
  return { ok: false, problem: `${step.each.from} has ${list.length} entries, and at most ${limit} are run` };
}

function fail({ name }: RelayStep, problem: string): RelayMove {
  return { kind: 'fail', message: `Step "${name}" can't be run: ${problem}.` };
}
