import { z } from 'zod';
import { checkValue, canonicalJson, formatIssue, isWellFormedUnicode, truncateText, utf8 } from '../kernel';

/** Maximum characters of each text in a handoff. */
export const maxHandoffTextLength = 1_000;
/** Maximum items of each list in a handoff. */
export const maxHandoffItems = 100;
/** Maximum bytes of a handoff, as canonical JSON in UTF-8. Recorded decisions may take half of it. */
export const maxHandoffBytes = 24 * 1024;

const textSchema = z
  .string()
  .max(maxHandoffTextLength)
  .refine((text) => collapseWhitespace(text) !== '', 'must not be empty')
  .refine(isWellFormedUnicode, 'has an unpaired surrogate');
const listSchema = z.array(textSchema).max(maxHandoffItems);

/** The handoff that an agent writes in its last call, to replace its conversation. */
const handoffSchema = z.strictObject({
  goal: textSchema,
  done: listSchema,
  decisions: listSchema,
  open_questions: listSchema,
  next_steps: listSchema,
  /** Names of artifacts that the next agent should read. */
  artifacts: listSchema,
});
export type Handoff = Readonly<z.infer<typeof handoffSchema>>;

/**
 * Replaces every run of whitespace and control characters by one space. Texts are compared and rendered in this form.
 */
export function collapseWhitespace(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}

/** A valid handoff, or the violation that the agent has to correct. */
export type CheckedHandoff =
  { readonly ok: true; readonly handoff: Handoff } | { readonly ok: false; readonly violation: string };

/** Session facts that a handoff must repeat (decisions) or may refer to (artifacts). */
export interface HandoffRequirements {
  /** Texts of the recorded decisions. */
  readonly decisions: readonly string[];
  /** Names of the artifacts that exist. */
  readonly artifacts: readonly string[];
}

/** Maximum length of a violation, in code points. */
export const maxViolationLength = 600;
const shownItems = 3;
const shownLength = 120;

/** Checks the final message of an agent that hands off. A violation is a text that asks the agent for a correction. */
export function checkHandoff(text: string, facts: HandoffRequirements): CheckedHandoff {
  const value = parse(text);
  if (value === undefined) {
    return refuse('it is not exactly one JSON object; remove everything before and after it, including code fences');
  }
  const parsed = checkValue(handoffSchema, value);
  if (!parsed.success)
    return refuse(
      parsed.error.issues
        .slice(0, shownItems)
        .map((issue) => formatIssue(issue, 'handoff'))
        .join('; '),
    );
  const bytes = utf8(canonicalJson(parsed.data)).length;
  if (bytes > maxHandoffBytes) {
    return refuse(`it is ${bytes} bytes; the limit is ${maxHandoffBytes}. Shorten it, or refer to artifacts`);
  }
  const problems = [...missingDecisions(parsed.data, facts), ...unknownArtifacts(parsed.data, facts)];
  return problems.length === 0 ? { ok: true, handoff: parsed.data } : refuse(problems.join('; '));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function missingDecisions({ decisions }: Handoff, facts: HandoffRequirements): string[] {
  const items = decisions.map(collapseWhitespace);
  const isRepeated = (decision: string): boolean => decision === '' || items.some((item) => quotes(item, decision));
  const missing = facts.decisions.filter((decision) => !isRepeated(collapseWhitespace(decision)));
  if (missing.length === 0) return [];
  const what = missing.length === 1 ? 'a recorded decision is' : `${missing.length} recorded decisions are`;
  return [`decisions: ${what} missing or not word for word: ${shown(missing)}`];
}

function unknownArtifacts({ artifacts }: Handoff, facts: HandoffRequirements): string[] {
  const unknown = artifacts.filter((name) => !facts.artifacts.includes(name));
  return unknown.length === 0 ? [] : [`artifacts: no such artifact: ${shown(unknown)}`];
}

/** Whether the item contains the text at word boundaries: "use Ada" does not contain "use A". */
function quotes(item: string, text: string): boolean {
  for (let at = item.indexOf(text); at !== -1; at = item.indexOf(text, at + 1)) {
    const end = at + text.length;
    if (!joins(item, at) && !joins(item, end)) return true;
  }
  return false;
}

/** Whether this position is inside a word. */
function joins(text: string, at: number): boolean {
  return /[\p{L}\p{M}\p{N}]$/u.test(text.slice(0, at)) && /^[\p{L}\p{M}\p{N}]/u.test(text.slice(at));
}

function shown(texts: readonly string[]): string {
  const first = texts
    .slice(0, shownItems)
    .map((text) => JSON.stringify(truncateText(collapseWhitespace(text), shownLength)));
  const more = texts.length - first.length;
  return `${first.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}

function refuse(violation: string): CheckedHandoff {
  return { ok: false, violation: truncateText(violation, maxViolationLength) };
}
