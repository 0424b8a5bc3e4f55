import { type FieldProblem, isWellFormedUnicode } from '../domain/kernel';

const maxDepth = 100;

/**
 * Finds what no schema can handle in a parsed file: a value that contains itself (YAML has aliases), nesting that would
 * exhaust the stack, and half of a character. Returns undefined if there is none.
 */
export function valueProblem(value: unknown): FieldProblem | undefined {
  return new Search().find(value, []);
}

class Search {
  private readonly above = new Set<object>();
  private readonly done = new Set<object>();

  find(value: unknown, path: readonly PropertyKey[]): FieldProblem | undefined {
    if (typeof value === 'string') return textProblem(value, path);
    if (typeof value !== 'object' || value === null || this.done.has(value)) return undefined;
    if (this.above.has(value)) return { path, message: 'contains itself through an alias (*name)' };
    if (path.length >= maxDepth) return { path, message: `is nested more than ${maxDepth} levels deep` };
    this.above.add(value);
    for (const [key, item] of Object.entries(value)) {
      const problem = textProblem(key, path) ?? this.find(item, [...path, key]);
      if (problem !== undefined) return problem;
    }
    this.above.delete(value);
    // An alias may stand for the same object many times.
    this.done.add(value);
    return undefined;
  }
}

function textProblem(text: string, path: readonly PropertyKey[]): FieldProblem | undefined {
  return isWellFormedUnicode(text)
    ? undefined
    : { path, message: 'contains half of a character (an unpaired surrogate), which UTF-8 cannot represent' };
}
