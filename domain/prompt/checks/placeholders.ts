import { PromptError } from '../prompt-error';
import type { AuthoredField } from './fields';

export type BoundParameters = Readonly<Record<string, string | number | boolean>>;

/** More of a value than anyone wants to read in an error. */
const longestShown = 500;

/**
 * A parameter that an ancestor has bound is gone: its value stands in the text. A field that brings the placeholder back
 * would leave the subagent with a name that nobody fills in.
 */
export function refusePlaceholders(fields: readonly AuthoredField[], parameters: BoundParameters): void {
  for (const { field, text } of fields) {
    for (const [placeholder, name = ''] of text.matchAll(/\$\{\s*([^\s{}]+)\s*\}/g)) {
      if (!Object.hasOwn(parameters, name)) continue;
      const value = String(parameters[name]);
      throw new PromptError(
        'Prompt.PlaceholderInField',
        field,
        `it mentions ${placeholder}, a parameter that is already bound`,
        `Write the value instead: ${value.length > longestShown ? `${value.slice(0, longestShown)}…` : value}`,
      );
    }
  }
}
