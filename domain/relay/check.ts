import type { FieldProblem } from '../skill/definition';
import type { RelayDefinition, RelayStep } from './definition';
import type { InputMapping } from './input-value';
import { parseReference, type Reference } from './reference';

/** What a schema cannot see: whether names and references lead anywhere. */
export function checkRelay({ steps }: RelayDefinition): FieldProblem[] {
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
  /** Whether it may name the item of a fan-out. */
  readonly mayEach: boolean;
  /** Whether it may name the step's own output, because that is there by then. */
  readonly own: boolean;
}

/** All references of a step, and where they stand in it. */
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

function referenceProblem(known: readonly RelayStep[], reference: Reference, mayEach: boolean): string[] {
  if (reference.to === 'goal') return [];
  if (reference.to === 'each')
    return mayEach ? [] : ['there is no item here: only the input of a step with each has one'];
  const { step: name, path } = reference;
  const step = known.find((one) => one.name === name);
  if (step === undefined) {
    const names = known.map((one) => one.name).join(', ');
    return [`"${name}" is no step before this place. ${names === '' ? 'There are none.' : `There are: ${names}.`}`];
  }
  const [first] = path;
  if (step.each === undefined || first === undefined || first === '*' || typeof first === 'number') return [];
  return [`"${name}" has an output for each item: write steps.${name}.output[*].${first}`];
}

function nameProblems(steps: readonly RelayStep[], index: number): FieldProblem[] {
  const name = steps[index]?.name;
  const taken = steps.slice(0, index).some((step) => step.name === name);
  return taken ? [{ path: ['name'], message: `"${name ?? ''}" is already the name of a step` }] : [];
}

function fanOutProblems({ each, maxItems, parallel }: RelayStep): FieldProblem[] {
  if (each !== undefined) {
    const isStep = parseReference(each.from)?.to === 'step';
    return isStep ? [] : [{ path: ['each', 'from'], message: 'must be the output of a step' }];
  }
  const message = 'makes no sense without each';
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
    : [{ path: ['loop', 'to'], message: `must be this step or one before it: ${possible.join(', ')}` }];
  const isStep = parseReference(loop.when.from)?.to === 'step';
  const when = isStep ? [] : [{ path: ['loop', 'when', 'from'], message: 'must be the output of a step' }];
  return [...target, ...when];
}
