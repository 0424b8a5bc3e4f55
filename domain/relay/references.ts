import { parseSegments, type Segment } from './path';

/** The source of a value: the goal, the item of a fan-out, or the final message of an earlier step. */
export type Reference =
  | { readonly to: 'goal' }
  | { readonly to: 'each'; readonly path: readonly Segment[] }
  | { readonly to: 'step'; readonly step: string; readonly path: readonly Segment[] };

/** Matches a valid step name. */
export const stepName = /^[A-Za-z][A-Za-z0-9_-]{0,39}$/;

const ofStep = /^steps\.([A-Za-z][A-Za-z0-9_-]{0,39})\.output(.*)$/s;
const ofItem = /^each(.*)$/s;

/** Parses a reference such as `steps.plan.output.step[*].id`. Returns undefined if the text is not a reference. */
export function parseReference(text: string): Reference | undefined {
  if (text === 'goal') return { to: 'goal' };
  const [, step, below] = ofStep.exec(text) ?? [];
  const path = parseSegments(below ?? ofItem.exec(text)?.[1] ?? 'none');
  if (path === undefined) return undefined;
  return step === undefined ? { to: 'each', path } : { to: 'step', step, path };
}
