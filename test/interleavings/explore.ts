import { createHash } from 'node:crypto';

/** Something that can happen in a state, and the state after it. */
export interface Step<State> {
  /** What happens, as a reader of a counterexample should see it. */
  readonly name: string;
  readonly next: () => State | Promise<State>;
}

/** A small world in which everything that can happen next is known. */
export interface Model<State> {
  readonly initial: State;
  /** Everything that can happen. A state without steps is an end. */
  steps(state: State): readonly Step<State>[];
  /**
   * The state as text. Two states with the same text are explored once, so leave out only what can't influence anything
   * that happens later.
   */
  key(state: State): string;
  /** Returns what is wrong with a state; undefined if nothing is. */
  check(state: State, isEnd: boolean): string | undefined;
}

/** What was explored. */
export interface Exploration {
  readonly states: number;
  readonly steps: number;
  readonly ends: number;
  /** The shortest way to a state in which something is wrong; omitted if there is none. */
  readonly violation?: { readonly what: string; readonly way: readonly string[] };
}

interface Found<State> {
  readonly state: State;
  readonly place: number;
}

/** How each state was reached: the place of the state before, and the step. */
type Ways = { readonly from: number; readonly step: string }[];

/** Raised by a step that must not happen at all. */
export class Impossible extends Error {}

/** Explores every order of steps, breadth first, so that a violation is found by the shortest way. */
export async function explore<State>(model: Model<State>, maxStates = 2_000_000): Promise<Exploration> {
  const seen = new Set<string>([digest(model.key(model.initial))]);
  const ways: Ways = [{ from: -1, step: '' }];
  let steps = 0;
  let ends = 0;
  let layer: Found<State>[] = [{ state: model.initial, place: 0 }];
  const violated = (what: string, place: number): Exploration => ({
    states: ways.length,
    steps,
    ends,
    violation: { what, way: wayTo(ways, place) },
  });
  while (layer.length > 0) {
    const nextLayer: Found<State>[] = [];
    for (const { state, place } of layer) {
      const possible = model.steps(state);
      if (possible.length === 0) ends += 1;
      const wrong = model.check(state, possible.length === 0);
      if (wrong !== undefined) return violated(wrong, place);
      for (const { name, next } of possible) {
        steps += 1;
        const reached = await attempt(next);
        if (reached instanceof Impossible) {
          ways.push({ from: place, step: name });
          return violated(reached.message, ways.length - 1);
        }
        const text = digest(model.key(reached));
        if (seen.has(text)) continue;
        if (seen.size >= maxStates) throw new Error(`There are more than ${maxStates} states; lower the bounds`);
        seen.add(text);
        ways.push({ from: place, step: name });
        nextLayer.push({ state: reached, place: ways.length - 1 });
      }
    }
    layer = nextLayer;
  }
  return { states: ways.length, steps, ends };
}

async function attempt<State>(next: Step<State>['next']): Promise<State | Impossible> {
  try {
    return await next();
  } catch (error) {
    if (error instanceof Impossible) return error;
    throw error;
  }
}

function wayTo(ways: Ways, place: number): string[] {
  const way: string[] = [];
  for (let at = place; at > 0; at = ways[at]?.from ?? 0) way.unshift(ways[at]?.step ?? '');
  return way;
}

/** A short name of a state. With 160 bits, two of some million states don't share one. */
function digest(text: string): string {
  return createHash('sha1').update(text).digest('base64');
}
