import { PromptError } from '../prompt-error';
import { parseDefinition } from './check';
import type { PromptDefinition } from './prompt-definition';

/** Prompt definitions by namespace and key. */
export interface PromptRegistry {
  /** Returns an enabled definition. If there is none, throws a `PromptError` that lists the available prompts. */
  get(ns: string, key: string): PromptDefinition;
  /** Whether an enabled definition with this name exists. */
  has(ns: string, key: string): boolean;
  /** Returns all definitions, including disabled ones, sorted by name. */
  list(): readonly PromptDefinition[];
}

/** Creates a registry. Throws a `PromptError` if a definition is invalid or a name occurs twice. */
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
      if (definition === undefined) throw absent('Prompt.Unknown', `prompt ${nameOf(ns, key)} does not exist`, all);
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
