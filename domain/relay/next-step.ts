import { canonicalJson, type Json, type JsonObject, utf8 } from '../kernel';
import type { InputMapping } from './references';
import { defaultMaxItems, type RelayDefinition, type RelayStep } from './relay-definition';
import { type OutputItem, resolveReference } from './select-output';
import type { RelayState } from './state';

/** An item of a step, ready to run. */
export interface ItemToRun {
  /** Zero-based index among all items of the step. */
  readonly index: number;
  readonly input: JsonObject;
}

/** What the relay does next: run items, finish, or fail. */
export type RelayMove =
  | {
      readonly kind: 'run';
      readonly step: RelayStep;
      /** How many times the step has been started, including this time. */
      readonly round: number;
      /** Number of all items of the step. */
      readonly of: number;
      /** Items to run now, in parallel. */
      readonly items: readonly ItemToRun[];
    }
  | { readonly kind: 'finish' }
  | { readonly kind: 'fail'; readonly message: string };

/** The items of a step, or the reason why they can't be determined. */
export type StepItems =
  { readonly ok: true; readonly items: readonly Json[] } | { readonly ok: false; readonly problem: string };

/** Decides the next move of a relay from its state. */
export function nextMove(relay: RelayDefinition, state: RelayState): RelayMove {
  if (state.failure !== null) return { kind: 'fail', message: state.failure };
  const step = relay.steps[state.at];
  if (step === undefined) return { kind: 'finish' };
  const found = itemsOf(relay, state, step);
  if (!found.ok) return fail(step, found.problem);
  const next = state.done.length;
  // Items may write files that later items use, so they run one at a time unless the step is declared parallel.
  const until = step.parallel === true ? found.items.length : next + 1;
  const items: ItemToRun[] = [];
  for (const [index, value] of found.items.entries()) {
    if (index < next || index >= until) continue;
    const mapped = buildStepInput(relay, state, step.input, step.each === undefined ? undefined : { value });
    if (!mapped.ok) return fail(step, `its input can't be built: ${mapped.problem}`);
    const feedback = state.feedback?.step === step.name ? state.feedback.input : {};
    items.push({ index, input: { ...mapped.input, ...feedback } });
  }
  return { kind: 'run', step, round: (state.rounds[step.name] ?? 0) + 1, of: found.items.length, items };
}

/** Returns the items of a step. A step without fan-out has one item, whose value is not used. */
export function itemsOf(relay: RelayDefinition, state: RelayState, step: RelayStep): StepItems {
  if (step.each === undefined) return { ok: true, items: [null] };
  const list = resolveReference(relay, state, step.each.from);
  if (!Array.isArray(list)) {
    return { ok: false, problem: `${step.each.from} ${list === undefined ? 'has no value' : 'is not a list'}` };
  }
  const limit = step.maxItems ?? defaultMaxItems;
  if (list.length <= limit) return { ok: true, items: list as readonly Json[] };
  return { ok: false, problem: `${step.each.from} has ${list.length} entries; the limit is ${limit}` };
}

function fail({ name }: RelayStep, problem: string): RelayMove {
  return { kind: 'fail', message: `Step "${name}" can't be run: ${problem}.` };
}

/** Maximum bytes of a step's input. Longer texts are passed on as artifacts. */
const maxInputBytes = 16 * 1024;

/** The input of a step, or the reason why it could not be built. */
export type MappedInput =
  { readonly ok: true; readonly input: JsonObject } | { readonly ok: false; readonly problem: string };

/** Builds an input: resolves every reference of a mapping in the current state. */
export function buildStepInput(
  relay: RelayDefinition,
  state: RelayState,
  mapping: InputMapping,
  item?: OutputItem,
): MappedInput {
  const input: Record<string, Json> = {};
  for (const [field, wanted] of Object.entries(mapping)) {
    if ('value' in wanted) input[field] = wanted.value;
    else {
      const value = resolveReference(relay, state, wanted.from, item);
      if (value !== undefined) input[field] = wanted.as === 'text' ? textOf(value) : value;
      else if (wanted.optional !== true) return { ok: false, problem: `${field}: ${wanted.from} has no value` };
    }
  }
  const bytes = utf8(canonicalJson(input)).length;
  if (bytes <= maxInputBytes) return { ok: true, input };
  const problem = `it is ${bytes} bytes; the limit is ${maxInputBytes}. Pass longer texts as artifacts`;
  return { ok: false, problem };
}

/** Converts a value to text. Strings are unchanged, a list becomes one line per entry, other values become JSON. */
function textOf(value: Json): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? (value as readonly Json[]).map(textOf).join('\n') : JSON.stringify(value);
}
