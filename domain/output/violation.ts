import { DomainError } from '../errors';
import { cutText } from '../session/cut-text';

/** A violation goes back to the model and into histories. */
export const maxViolationCharacters = 500;

/** Why a final message does not have the form that was asked for. It never leaves this folder: `checkOutput` returns it. */
export class OutputViolation extends DomainError {
  readonly type = 'Output.Invalid';
}

/** What is wrong, where, and what to do about it. */
export function violation(place: string, problem: string, remedy: string): OutputViolation {
  return new OutputViolation(cutText(`${cutText(place, 150)}: ${problem}. ${remedy}`, maxViolationCharacters));
}

/** A piece of the model's own words, short enough to be quoted, on one line. */
export function quoted(text: string): string {
  return JSON.stringify(cutText(text.trim().slice(0, 200), 60));
}

/** The name of an element that the model made up may be of any length. */
export function tag(name: string): string {
  return `<${cutText(name.slice(0, 200), 64)}>`;
}
