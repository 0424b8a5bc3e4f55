import { searchAttributes } from '../../temporal-config/search-attributes';
import { requireSame, table } from './source';

const meanings: Readonly<Record<string, string>> = {
  BatonRun: 'id of the run',
  BatonDelegation: 'id of the delegation; not on the root agent',
  BatonSkill: 'name of the skill',
  BatonStatus: 'set while the agent waits for a person: `paused` or `needs_operator`; otherwise see `ExecutionStatus`',
  BatonPrompt: "hash of the root agent's prompt; the hash of a delegation's prompt is in its details",
  BatonDepth: 'level of delegation; 0 for the root agent',
};

/** Type names as the CLI and the Web UI write them. */
const typeNames: Readonly<Record<string, string>> = { KEYWORD: 'Keyword', INT: 'Int' };

export function searchAttributesPage(): string {
  const keys = Object.values(searchAttributes);
  requireSame(
    'search attributes',
    Object.keys(meanings),
    keys.map(({ name }) => name),
  );
  return [
    '# Search attributes',
    'Use them in the Web UI and with `temporal workflow list --query`. How to register them: [connecting to Temporal](../temporal.md#search-attributes).',
    table(
      ['name', 'type', 'meaning'],
      keys.map(({ name, type }) => [`\`${name}\``, typeNames[type] ?? type, meanings[name] ?? '']),
    ),
  ].join('\n\n');
}
