import { canonicalJson, utf8 } from '../kernel';
import { buildStepInput, itemsOf } from './next-step';
import { parseReference, selectsList } from './references';
import type { RelayDefinition, RelayLoop, RelayStep } from './relay-definition';
import { resolveReference } from './select-output';
import type { RelayState, SelectedValues } from './state';

/** Maximum bytes that all items of a step together may pass to later steps by value. */
const maxStepValueBytes = 64 * 1024;

/** Advances the state after items have completed: to the step's other items, to the next step, or back to an earlier step. */
export function advanceAfterItems(
  relay: RelayDefinition,
  state: RelayState,
  values: readonly SelectedValues[],
): RelayState {
  const step = relay.steps[state.at];
  if (step === undefined) return state;
  const done = [...state.done, ...values];
  const bytes = utf8(canonicalJson(done)).length;
  if (bytes > maxStepValueBytes) {
    return failed(
      state,
      `The relay uses ${bytes} bytes of the output of step "${step.name}"; the limit for values is ${maxStepValueBytes}. Use artifacts instead.`,
    );
  }
  const found = itemsOf(relay, state, step);
  if (found.ok && done.length < found.items.length) return { ...state, done };
  return skipEmpty(relay, finished(relay, { ...state, done }, step));
}

/** Records the step's outputs, then evaluates its loop condition. */
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
  const value = resolveReference(relay, state, from);
  if (value === undefined)
    return failed(state, `The loop condition of step "${name}" can't be evaluated: ${from} has no value.`);
  const reference = parseReference(from);
  const several = reference?.to === 'step' && selectsList(reference.path) && Array.isArray(value);
  const holds = several ? value.includes(equals) : value === equals;
  if (!holds) return state;
  const times = state.loops[name] ?? 0;
  if (times >= loop.max) {
    const condition = `${from} is still ${JSON.stringify(equals)}`;
    return failed(state, `Step "${name}" reached its loop limit (${loop.max}), and ${condition}.`);
  }
  const mapped = buildStepInput(relay, state, loop.feedback ?? {});
  if (!mapped.ok) return failed(state, `The feedback of step "${name}" can't be built: ${mapped.problem}.`);
  return {
    ...state,
    at: relay.steps.findIndex((step) => step.name === loop.to),
    loops: { ...state.loops, [name]: times + 1 },
    feedback: { step: loop.to, input: mapped.input },
  };
}

/** Skips fan-out steps whose list is empty. Terminates because every loop is bounded. */
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
