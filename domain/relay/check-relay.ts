import { checkValue, canonicalJson, type FieldProblem, fieldProblems, utf8 } from '../kernel';
import { type InputMapping, parseReference, type Reference } from './references';
import { type RelayDefinition, relaySchema, type RelayStep } from './relay-definition';

/** Checks what a schema cannot express: unique step names, and references to things that exist. */
function checkRelay({ steps }: RelayDefinition): FieldProblem[] {
  return steps.flatMap((step, index) =>
    [
      ...nameProblems(steps, index),
      ...fanOutProblems(step),
      ...referencesOf(step).flatMap(({ path, reference, mayEach, own }) =>
        referenceProblem(steps.slice(0, own ? index + 1 : index), reference, mayEach).map((message) => ({
          path,
          message,
        })),
      ),
      ...loopProblems(steps, index),
    ].map(({ path, message }) => ({ path: ['steps', index, ...path], message })),
  );
}

interface PlacedReference {
  readonly path: readonly PropertyKey[];
  readonly reference: Reference;
  /** Whether the reference may be to the item of a fan-out. */
  readonly mayEach: boolean;
  /** Whether the reference may be to the output of its own step, because it is resolved after the step has run. */
  readonly own: boolean;
}

/** Returns all references of a step, with their paths in the definition. */
export function referencesOf({ each, input, loop }: RelayStep): PlacedReference[] {
  return [
    ...(each === undefined ? [] : placed(each.from, ['each', 'from'], false, false)),
    ...ofMapping(input, ['input'], each !== undefined, false),
    ...(loop === undefined ? [] : placed(loop.when.from, ['loop', 'when', 'from'], false, true)),
    ...(loop?.feedback === undefined ? [] : ofMapping(loop.feedback, ['loop', 'feedback'], false, true)),
  ];
}

function ofMapping(
  mapping: InputMapping,
  path: readonly PropertyKey[],
  mayEach: boolean,
  own: boolean,
): PlacedReference[] {
  return Object.entries(mapping).flatMap(([field, value]) =>
    'from' in value ? placed(value.from, [...path, field, 'from'], mayEach, own) : [],
  );
}

function placed(text: string, path: readonly PropertyKey[], mayEach: boolean, own: boolean): PlacedReference[] {
  const reference = parseReference(text);
  return reference === undefined ? [] : [{ path, reference, mayEach, own }];
}

function referenceProblem(earlier: readonly RelayStep[], reference: Reference, mayEach: boolean): string[] {
  if (reference.to === 'goal') return [];
  if (reference.to === 'each')
    return mayEach ? [] : ['each is available only in the input of a step that declares each'];
  const { step: name, path } = reference;
  const step = earlier.find((candidate) => candidate.name === name);
  if (step === undefined) {
    const names = earlier.map((candidate) => candidate.name).join(', ');
    return [`"${name}" is not an earlier step. Available: ${names === '' ? 'none' : names}.`];
  }
  const [first] = path;
  if (step.each === undefined || first === undefined || first === '*' || typeof first === 'number') return [];
  return [`"${name}" has one output per item. Write steps.${name}.output[*].${first}`];
}

function nameProblems(steps: readonly RelayStep[], index: number): FieldProblem[] {
  const name = steps[index]?.name;
  const isDuplicate = steps.slice(0, index).some((step) => step.name === name);
  return isDuplicate ? [{ path: ['name'], message: `"${name ?? ''}" is already the name of a step` }] : [];
}

function fanOutProblems({ each, maxItems, parallel }: RelayStep): FieldProblem[] {
  if (each !== undefined) {
    const isStep = parseReference(each.from)?.to === 'step';
    return isStep ? [] : [{ path: ['each', 'from'], message: 'must be the output of a step' }];
  }
  const message = 'requires each';
  return [
    ...(maxItems === undefined ? [] : [{ path: ['maxItems'], message }]),
    ...(parallel === undefined ? [] : [{ path: ['parallel'], message }]),
  ];
}

function loopProblems(steps: readonly RelayStep[], index: number): FieldProblem[] {
  const { loop } = steps[index] ?? {};
  if (loop === undefined) return [];
  const possible = steps.slice(0, index + 1).map(({ name }) => name);
  const target = possible.includes(loop.to)
    ? []
    : [{ path: ['loop', 'to'], message: `must be this step or an earlier step: ${possible.join(', ')}` }];
  const isStep = parseReference(loop.when.from)?.to === 'step';
  const when = isStep ? [] : [{ path: ['loop', 'when', 'from'], message: 'must be the output of a step' }];
  return [...target, ...when];
}

/** A valid definition, or all problems found in it. */
export type ParsedRelay =
  | { readonly ok: true; readonly relay: RelayDefinition }
  | { readonly ok: false; readonly problems: readonly FieldProblem[] };

/**
 * Checks a definition and returns all problems at once; never throws. `checkRelaySkills` checks it against the skills of
 * its steps.
 *
 * @example
 * const parsed = parseRelay({
 *   name: 'explore',
 *   description: 'Explores a project.',
 *   steps: [{ name: 'look', skill: 'researcher', input: { goal: { from: 'goal' } } }],
 * });
 * if (!parsed.ok) console.error(parsed.problems);
 */
export function parseRelay(value: unknown): ParsedRelay {
  const parsed = checkValue(relaySchema, value);
  if (!parsed.success) return { ok: false, problems: parsed.error.issues.flatMap(fieldProblems) };
  const problems = [...sizeProblems(parsed.data), ...checkRelay(parsed.data)];
  return problems.length > 0 ? { ok: false, problems } : { ok: true, relay: parsed.data };
}

/** Maximum bytes of a definition. It is passed to an activity together with the goal, and both must fit. */
const maxRelayBytes = 12 * 1024;

function sizeProblems(relay: RelayDefinition): FieldProblem[] {
  const bytes = utf8(canonicalJson(relay)).length;
  return bytes <= maxRelayBytes
    ? []
    : [{ path: [], message: `is ${bytes} bytes as JSON; the limit is ${maxRelayBytes}` }];
}
