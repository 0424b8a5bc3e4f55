import type { z } from 'zod';
import { utf8 } from '../hash';
import { canonicalJson } from '../json';
import { cutText } from '../session/cut-text';
import { handoffSchema, maxHandoffBytes, oneLine, type Handoff } from './form';

export type CheckedHandoff =
  { readonly ok: true; readonly handoff: Handoff } | { readonly ok: false; readonly violation: string };

/** What the session knows, and the handoff must agree with. */
export interface HandoffFacts {
  /** Texts of the recorded decisions. */
  readonly decisions: readonly string[];
  /** Names of the artifacts that exist. */
  readonly artifacts: readonly string[];
}

export const maxViolationLength = 600;
const shownItems = 3;
const shownLength = 120;

/** Checks the last message of an agent that hands over. A violation is words for that agent: what to correct. */
export function checkHandoff(text: string, facts: HandoffFacts): CheckedHandoff {
  const value = parse(text);
  if (value === undefined) {
    return refuse('it is not one JSON object with nothing before and nothing after it, not even a code fence');
  }
  const parsed = handoffSchema.safeParse(value);
  if (!parsed.success) return refuse(parsed.error.issues.slice(0, shownItems).map(issueText).join('; '));
  const bytes = utf8(canonicalJson(parsed.data)).length;
  if (bytes > maxHandoffBytes) {
    return refuse(`it has ${bytes} bytes, and at most ${maxHandoffBytes} are allowed: say less, or name artifacts`);
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

function issueText({ path, message }: z.core.$ZodIssue): string {
  return `${path.length === 0 ? 'handoff' : path.map(String).join('.')}: ${message}`;
}

function missingDecisions({ decisions }: Handoff, facts: HandoffFacts): string[] {
  const items = decisions.map(oneLine);
  const isThere = (words: string): boolean => words === '' || items.some((item) => quotes(item, words));
  const missing = facts.decisions.filter((decision) => !isThere(oneLine(decision)));
  if (missing.length === 0) return [];
  const what = missing.length === 1 ? 'a recorded decision is' : `${missing.length} recorded decisions are`;
  return [`decisions: ${what} missing, word for word: ${shown(missing)}`];
}

function unknownArtifacts({ artifacts }: Handoff, facts: HandoffFacts): string[] {
  const unknown = artifacts.filter((name) => !facts.artifacts.includes(name));
  return unknown.length === 0 ? [] : [`artifacts: there is no ${shown(unknown)}`];
}

/** Whether the words stand in the item, and not as a part of longer words: "use A" is not in "use Ada". */
function quotes(item: string, words: string): boolean {
  for (let at = item.indexOf(words); at !== -1; at = item.indexOf(words, at + 1)) {
    const end = at + words.length;
    if (!joins(item, at) && !joins(item, end)) return true;
  }
  return false;
}

/** Whether a word goes on over this place in the text. */
function joins(text: string, at: number): boolean {
  return /[\p{L}\p{M}\p{N}]$/u.test(text.slice(0, at)) && /^[\p{L}\p{M}\p{N}]/u.test(text.slice(at));
}

function shown(texts: readonly string[]): string {
  const first = texts.slice(0, shownItems).map((text) => JSON.stringify(cutText(oneLine(text), shownLength)));
  const more = texts.length - first.length;
  return `${first.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}

function refuse(violation: string): CheckedHandoff {
  return { ok: false, violation: cutText(violation, maxViolationLength) };
}
