import { DomainError, truncateText } from '../../kernel';

/** Maximum length of a violation. It is sent back to the model and recorded in workflow history. */
export const maxViolationCharacters = 500;

/** Thrown when a final message violates its output format. Internal to this folder: `checkOutput` returns the message. */
export class OutputViolation extends DomainError {
  readonly type = 'Output.Invalid';
}

/** Creates a violation that states the place, the problem and the remedy. */
export function outputViolation(place: string, problem: string, remedy: string): OutputViolation {
  return new OutputViolation(
    truncateText(`${truncateText(place, 150)}: ${problem}. ${remedy}`, maxViolationCharacters),
  );
}

/** Quotes the start of the model's text on one line. */
export function quoteSnippet(text: string): string {
  return JSON.stringify(truncateText(text.trim().slice(0, 200), 60));
}

/** Formats an element name as a tag. Truncates the name, because a model may invent a name of any length. */
export function formatTag(name: string): string {
  return `<${truncateText(name.slice(0, 200), 64)}>`;
}

/** Maximum nesting depth of a final message. The output formats of skills use only a few levels. */
export const maxOutputDepth = 32;
