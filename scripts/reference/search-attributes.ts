import { searchAttributeMeanings, searchAttributes } from '../../temporal-config/search-attributes';
import { table } from './source';

/** Type names as the CLI and the Web UI write them. */
const typeNames: Readonly<Record<string, string>> = { KEYWORD: 'Keyword', INT: 'Int' };

export function searchAttributesPage(): string {
  const meanings: Readonly<Record<string, string>> = searchAttributeMeanings;
  return [
    '# Search attributes',
    'Use them in the Web UI and with `temporal workflow list --query`. How to register them: [connecting to Temporal](../temporal.md#search-attributes).',
    table(
      ['name', 'type', 'meaning'],
      Object.entries(searchAttributes).map(([key, { name, type }]) => [
        `\`${name}\``,
        typeNames[type] ?? type,
        meanings[key] ?? '',
      ]),
    ),
  ].join('\n\n');
}
