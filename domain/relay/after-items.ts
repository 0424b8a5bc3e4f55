import { utf8 } from '../hash';
import { canonicalJson } from '../json';
import type { RelayDefinition, RelayLoop, RelayStep } from './definition';
import { isPlural } from './path';
import { itemsOf } from './next-step';
import { resolve } from './picks';
import { parseReference } from './reference';
import type { PickedValues, RelayState } from './state';
import { mapInput } from './step-input';

/** What all items of a step together may hand on by value. */
export const maxStepValueBytes = 64 * 1024;

/** After some items of the current step: on with its others, with the next step, or back to an earlier one. */
export function afterItems(relay: RelayDefinition, state: RelayState, values: readonly PickedValues[]): RelayState {
  const step = relay.steps[state.at];
  if (step === undefined) return state;
  const done = [...state.done, ...values];
  const bytes = utf8(canonicalJson(done)).length;
  if (bytes > maxStepValueBytes) {
    return failed(
      state,
      `The relay uses ${bytes} bytes of the output of step "${step.name}", and at most ${maxStepValueBytes} can be handed on by value: use artifacts.`,
    );
  }
  const found = itemsOf(relay, state, step);
  if (found.ok && done.length < found.items.length) return { ...state, done };
  return skipEmpty(relay, finished(relay, { ...state, done }, step));
}

/** Records the step's outputs, then asks its loop. */
function finished(relay: RelayDefinition, state: RelayState, step: RelayStep): RelayState {
  const { name, loop } = step;
  const next: RelayState = {
    ...state,
    at: state.at + 1,
    done: [],
    outputs: { ...state.outputs, [name]: state.done },
    rounds: { ...state.rounds, [name]: (state.rounds[name] ?? 0) + 1 },
    feedback: state.feedback?.step === name ? null : state.feedback,
  };
  return loop === undefined ? next : looped(relay, next, name, loop);
}

function looped(relay: RelayDefinition, state: RelayState, name: string, loop: RelayLoop): RelayState {
  const { from, equals } = loop.when;
  const value = resolve(relay, state, from);
  if (value === undefined) return failed(state, `Step "${name}" can't be judged: there is nothing at ${from}.`);
  const reference = parseReference(from);
  const several = reference?.to === 'step' && isPlural(reference.path) && Array.isArray(value);
  const holds = several ? value.includes(equals) : value === equals;
  if (!holds) return state;
  const times = state.loops[name] ?? 0;
  if (times >= loop.max) {
    const often = loop.max === 1 ? 'once' : `${loop.max} times`;
    const was = `${from} is ${JSON.stringify(equals)}`;
    return failed(state, `Step "${name}" sent the relay back ${often}, as often as it may, and still ${was}.`);
  }
  const mapped = mapInput(relay, state, loop.feedback ?? {});
  if (!mapped.ok) return failed(state, `The feedback of step "${name}" is not complete: ${mapped.problem}.`);
  return {
    ...state,
    at: relay.steps.findIndex((step) => step.name === loop.to),
    loops: { ...state.loops, [name]: times + 1 },
    feedback: { step: loop.to, input: mapped.input },
  };
}

/** A list without entries is nothing to do. Terminates: every loop is bounded. */
function skipEmpty(relay: RelayDefinition, state: RelayState): RelayState {
  const step = relay.steps[state.at];
  if (step?.each === undefined || state.failure !== null) return state;
  const found = itemsOf(relay, state, step);
  if (!found.ok || found.items.length > 0) return state;
  return skipEmpty(relay, finished(relay, state, step));
}

function failed(state: RelayState, message: string): RelayState {
  return { ...state, failure: message };
}
