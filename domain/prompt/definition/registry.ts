import { PromptError } from '../prompt-error';
import { parseDefinition } from './check';
import type { PromptDefinition } from './schema';

export interface PromptRegistry {
  /** The enabled definition of that name; an unknown or disabled one is a `PromptError` that says what there is. */
  get(ns: string, key: string): PromptDefinition;
  has(ns: string, key: string): boolean;
  /** All of them, disabled ones too, by name. */
  list(): readonly PromptDefinition[];
}

export function createRegistry(definitions: readonly PromptDefinition[]): PromptRegistry {
  const byName = new Map<string, PromptDefinition>();
  for (const definition of definitions.map(parseDefinition)) {
    const name = nameOf(definition.ns, definition.key);
    if (byName.has(name))
      throw new PromptError('Prompt.Duplicate', 'key', `there are two prompts ${name}`, 'Rename one.');
    byName.set(name, definition);
  }
  const all = [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, definition]) => definition);
  return {
    get(ns, key) {
      const definition = byName.get(nameOf(ns, key));
      if (definition === undefined) throw absent('Prompt.Unknown', `there is no prompt ${nameOf(ns, key)}`, all);
      if (!definition.enabled) throw absent('Prompt.Disabled', `prompt ${nameOf(ns, key)} is disabled`, all);
      return definition;
    },
    has: (ns, key) => byName.get(nameOf(ns, key))?.enabled === true,
    list: () => all,
  };
}

function absent(
  type: 'Prompt.Unknown' | 'Prompt.Disabled',
  reason: string,
  all: readonly PromptDefinition[],
): PromptError {
  const names = all.filter(({ enabled }) => enabled).map(({ ns, key }) => nameOf(ns, key));
  const remedy = names.length === 0 ? 'No prompt is enabled.' : `Choose one of: ${names.join(', ')}.`;
  return new PromptError(type, 'prompt_key', reason, remedy);
}

function nameOf(ns: string, key: string): string {
  return `${ns}/${key}`;
}
