import { RE2JS } from 're2js';
import { checkValue, type FieldProblem, firstIssue, formatFieldPath, InvalidInputError } from '../../kernel';
import { type ApprovalRule, approvalRulesSchema, isAbout } from '../approval-rules';

/** Returns the patterns of rules that are not regular expressions, with the place of each. */
export function approvalProblems(rules: readonly ApprovalRule[] = []): FieldProblem[] {
  return rules.flatMap(({ when = {} }, index) => {
    const patterns: [PropertyKey[], string][] =
      typeof when === 'string' ? [[[], when]] : Object.entries(when).map(([name, pattern]) => [[name], pattern]);
    return patterns.flatMap(([path, pattern]) => {
      const problem = patternProblem(pattern);
      return problem === undefined ? [] : [{ path: [index, 'when', ...path], message: problem }];
    });
  });
}

/** Throws an `InvalidInputError` for the first rule whose pattern is not a regular expression. */
export function requireSoundRules(rules: readonly ApprovalRule[] | undefined, field = 'approve'): void {
  const [problem] = approvalProblems(rules);
  if (problem === undefined) return;
  throw new InvalidInputError(
    formatFieldPath([field, ...problem.path]),
    problem.message,
    'Correct the pattern; its syntax is that of RE2.',
  );
}

/** Validates rules. Throws an `InvalidInputError` for the first invalid one. */
export function parseRules(value: unknown, field = 'approve'): readonly ApprovalRule[] {
  const parsed = checkValue(approvalRulesSchema, value);
  if (!parsed.success) {
    const { path, reason } = firstIssue(parsed.error);
    throw new InvalidInputError(formatFieldPath([field, ...path]), reason, 'Correct the rule.');
  }
  requireSoundRules(parsed.data, field);
  return parsed.data;
}

function patternProblem(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `"${pattern}" is not a regular expression of RE2 (${reason})`;
  }
}

/** Returns the rules that a call matches. `input` is the JSON text of its arguments. */
export function matchingRules(rules: readonly ApprovalRule[], tool: string, input: string): readonly ApprovalRule[] {
  const about = rules.filter((rule) => isAbout(rule, tool));
  if (about.every(({ when }) => when === undefined)) return about;
  const value: unknown = JSON.parse(input);
  return about.filter(({ when }) => when === undefined || matches(when, value));
}

/** A call that can't be matched counts as one that does: asking too often is safe. */
function matches(when: NonNullable<ApprovalRule['when']>, input: unknown): boolean {
  try {
    if (typeof when === 'string') return isFound(when, [...textsIn(input), JSON.stringify(input)]);
    const given = new Map<string, unknown>(typeof input === 'object' && input !== null ? Object.entries(input) : []);
    return Object.entries(when).every(([name, pattern]) => {
      const value = given.get(name);
      if (typeof value === 'string') return isFound(pattern, [value]);
      return value !== undefined && isFound(pattern, [...textsIn(value), JSON.stringify(value)]);
    });
  } catch {
    return true;
  }
}

function isFound(pattern: string, texts: readonly string[]): boolean {
  const compiled = RE2JS.compile(pattern);
  return texts.some((text) => compiled.matcher(text).find());
}

/** Returns all texts in a value, at any depth. Not recursive, because a model decides about the depth. */
function textsIn(value: unknown): string[] {
  const texts: string[] = [];
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === 'string') texts.push(next);
    else if (typeof next === 'object' && next !== null) for (const part of Object.values(next)) left.push(part);
  }
  return texts;
}
