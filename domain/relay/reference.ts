import { parseSegments, showSegments, type Segment } from './path';

/** Where a value comes from: the goal, the item of a fan-out, or what an earlier step said in its final message. */
export type Reference =
  | { readonly to: 'goal' }
  | { readonly to: 'each'; readonly path: readonly Segment[] }
  | { readonly to: 'step'; readonly step: string; readonly path: readonly Segment[] };

export const stepName = /^[A-Za-z][A-Za-z0-9_-]{0,39}$/;

const ofStep = /^steps\.([A-Za-z][A-Za-z0-9_-]{0,39})\.output(.*)$/s;
const ofItem = /^each(.*)$/s;

/** Undefined when the text is no reference. */
export function parseReference(text: string): Reference | undefined {
  if (text === 'goal') return { to: 'goal' };
  const [, step, below] = ofStep.exec(text) ?? [];
  const path = parseSegments(below ?? ofItem.exec(text)?.[1] ?? 'none');
  if (path === undefined) return undefined;
  return step === undefined ? { to: 'each', path } : { to: 'step', step, path };
}

export function showReference(reference: Reference): string {
  if (reference.to === 'goal') return 'goal';
  const from = reference.to === 'each' ? 'each' : `steps.${reference.step}.output`;
  return `${from}${showSegments(reference.path)}`;
}
