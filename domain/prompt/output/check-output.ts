import type { Json } from '../../kernel';
import { checkJson } from './json-output';
import type { OutputFormat } from './output-format';
import { OutputViolation, outputViolation } from './violation';
import { checkXml } from './xml-output';

/** An accepted final message: its value, and the text that is passed on. */
interface AcceptedOutput {
  readonly value: Json;
  /** Canonical JSON; the XML inside `<response>` exactly as the model wrote it; or the text of a root without fields. */
  readonly text: string;
}

/** The accepted output, or the violation as text for the model. */
export type CheckedOutput =
  ({ readonly ok: true } & AcceptedOutput) | { readonly ok: false; readonly violation: string };

/** Maximum length of a final message, far more than a model writes. It bounds the time that checking takes. */
export const maxOutputCharacters = 1_000_000;

/**
 * Checks a final message against its output format. White space around the message is ignored; any other text
 * before or after it is a violation.
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
  return outputViolation(
    'the message',
    `it has ${length} characters; the limit is ${maxOutputCharacters}`,
    'Shorten it: long texts belong in artifacts.',
  );
}
