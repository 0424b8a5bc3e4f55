import type { Json } from '../json-value';
import type { OutputFormat } from '../skill/output-format';
import { checkJson } from './check-json';
import { checkXml } from './check-xml';
import { OutputViolation, violation } from './violation';

/** A final message that is accepted: its value, and the one text under which it is passed on. */
export interface AcceptedOutput {
  readonly value: Json;
  /** Canonical JSON, or the XML inside of `<response>` exactly as the model wrote it. */
  readonly text: string;
}

export type CheckedOutput =
  ({ readonly ok: true } & AcceptedOutput) | { readonly ok: false; readonly violation: string };

/** Much more than a model writes in one answer; keeps the work of checking within bounds. */
export const maxOutputCharacters = 1_000_000;

/**
 * Whether a final message is exactly what the skill asks for. White space around it is forgiven, since it says nothing;
 * any other word before or after it is not.
 */
export function checkOutput({ json, xml }: OutputFormat, text: string): CheckedOutput {
  try {
    if (text.length > maxOutputCharacters) throw tooLong(text.length);
    if (json !== undefined) return { ok: true, ...checkJson(json, text) };
    if (xml !== undefined) return { ok: true, ...checkXml(xml, text) };
    return { ok: true, value: text, text };
  } catch (error) {
    if (error instanceof OutputViolation) return { ok: false, violation: error.message };
    throw error;
  }
}

function tooLong(length: number): OutputViolation {
  return violation(
    'the message',
    `it has ${length} characters, and at most ${maxOutputCharacters} are accepted`,
    'Shorten it: long texts belong into artifacts.',
  );
}
