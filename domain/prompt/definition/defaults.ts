import { InvalidInputError } from '../../kernel';
import type { Bindings } from './parameters';
import type { ParameterSpec, PromptDefinition } from './prompt-definition';

/** Values for parameters of prompts, by prompt (`ns/key`) and name of the parameter. */
export type PromptDefaults = Readonly<Record<string, Bindings>>;

/**
 * Returns the definitions with these values as defaults of their parameters; a parameter that has a value is no longer
 * required. Throws an `InvalidInputError` if a prompt or a parameter does not exist.
 */
export function withPromptDefaults(
  definitions: readonly PromptDefinition[],
  defaults: PromptDefaults,
): readonly PromptDefinition[] {
  for (const [name, values] of Object.entries(defaults)) requireKnown(definitions, name, values);
  return definitions.map((definition) => {
    const values = defaults[nameOf(definition)];
    if (values === undefined) return definition;
    return { ...definition, parameters: definition.parameters.map((parameter) => withDefault(parameter, values)) };
  });
}

/** Returns the required parameters for which there is neither a default nor one of these values. */
export function unboundParameters({ parameters }: PromptDefinition, bound: Bindings): readonly ParameterSpec[] {
  return parameters.filter(({ name, required }) => required && !Object.hasOwn(bound, name));
}

function withDefault(parameter: ParameterSpec, values: Bindings): ParameterSpec {
  const value = Object.hasOwn(values, parameter.name) ? values[parameter.name] : undefined;
  return value === undefined ? parameter : { ...parameter, required: false, default: value };
}

function requireKnown(definitions: readonly PromptDefinition[], name: string, values: Bindings): void {
  const definition = definitions.find((other) => nameOf(other) === name);
  if (definition === undefined) {
    const known = definitions.map(nameOf).join(', ');
    throw new InvalidInputError('promptDefaults', `the prompt "${name}" does not exist`, `Use one of: ${known}.`);
  }
  const names = definition.parameters.map((parameter) => parameter.name);
  const unknown = Object.keys(values).find((value) => !names.includes(value));
  if (unknown === undefined) return;
  const remedy = names.length === 0 ? 'It has none.' : `Use one of: ${names.join(', ')}.`;
  throw new InvalidInputError('promptDefaults', `the prompt "${name}" has no parameter "${unknown}"`, remedy);
}

function nameOf({ ns, key }: PromptDefinition): string {
  return `${ns}/${key}`;
}
