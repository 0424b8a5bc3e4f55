import { isWellFormedUnicode } from '../../kernel';
import { invalidUnicode } from '../extract';
import { PromptError } from '../prompt-error';
import type { PromptDefinition } from './prompt-definition';

/** Values of prompt parameters by name. */
export type Bindings = Readonly<Record<string, string>>;

/**
 * Determines the value of every parameter: the given value, else the value inherited from the parent, else the default.
 * Inherited parameters that this prompt does not declare stay bound, so that no delegation below can use their
 * placeholders again.
 */
export function bindParameters(definition: PromptDefinition, given: Bindings, inherited: Bindings): Bindings {
  const declared = new Set(definition.parameters.map(({ name }) => name));
  for (const [name, value] of Object.entries(given)) {
    if (!declared.has(name)) throw unknownParameter(name, definition);
    if (!isWellFormedUnicode(value)) throw invalidUnicode(`parameters.${name}`);
  }
  const bound: [string, string][] = [...Object.entries(inherited)];
  for (const { name, description, required, default: preset } of definition.parameters) {
    const value = Object.hasOwn(given, name) ? given[name] : Object.hasOwn(inherited, name) ? inherited[name] : preset;
    if (value !== undefined) bound.push([name, value]);
    else if (required) throw missingParameter(name, definition, description);
  }
  return Object.fromEntries(bound);
}

/** The error for a parameter without a value. */
export function missingParameter(name: string, { ns, key }: PromptDefinition, description = ''): PromptError {
  return new PromptError(
    'Prompt.MissingParameter',
    `parameters.${name}`,
    `prompt ${ns}/${key} needs a value for \${${name}}`,
    description === '' ? `Give ${name}.` : `Give ${name}: ${description}`,
  );
}

function unknownParameter(name: string, { ns, key, parameters }: PromptDefinition): PromptError {
  const names = parameters.map((parameter) => parameter.name);
  return new PromptError(
    'Prompt.UnknownParameter',
    `parameters.${name}`,
    `prompt ${ns}/${key} has no parameter ${name}`,
    names.length === 0 ? 'It takes none.' : `It takes: ${names.join(', ')}.`,
  );
}
const placeholder = /\$?\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Fills in a template in a single pass, so that placeholders inside values stay text. */
export function fillIn(template: string, valueOf: (name: string) => string): string {
  return template.replace(placeholder, (text, name: string) => (text.startsWith('$$') ? text.slice(1) : valueOf(name)));
}

/** Escapes a text for use as a template, so that `${x}` in it is not a placeholder. */
export function escapeTemplate(text: string): string {
  return text.replace(/\$\{[A-Za-z_][A-Za-z0-9_]*\}/g, (placeholder) => `$${placeholder}`);
}
