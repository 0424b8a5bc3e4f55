import { PromptError } from '../prompt-error';
import type { AuthoredField } from './fields';

/** Parameters that the parent and its ancestors have bound. */
export type BoundParameters = Readonly<Record<string, string | number | boolean>>;

/** Maximum characters of a value in an error message. */
const longestShown = 500;

/**
 * Rejects fields that contain the placeholder of a bound parameter. The ancestor's text contains the value instead of the
 * placeholder, and nothing would fill in the placeholder for the subagent.
 */
export function rejectPlaceholders(fields: readonly AuthoredField[], parameters: BoundParameters): void {
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
