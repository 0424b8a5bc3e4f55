const { join } = require('node:path');
const { requireSame, root, table } = require('./source.js');

const meanings = {
  BatonRun: 'id of the run',
  BatonDelegation: 'id of the delegation; not on the root agent',
  BatonSkill: 'name of the skill',
  BatonStatus: 'set while it waits for people: `paused`, `needs_operator`; else see `ExecutionStatus`',
  BatonPrompt: 'hash of the prompt that the root was given; that of a delegation stands in its details',
  BatonDepth: 'delegations between it and the root agent, which has 0',
};

/** As the CLI and the Web UI write them. */
const typeNames = { KEYWORD: 'Keyword', INT: 'Int' };

module.exports = function searchAttributesPage() {
  const { searchAttributes } = require(join(root, 'dist', 'temporal-config', 'search-attributes.js'));
  const keys = Object.values(searchAttributes);
  requireSame(
    'search attributes',
    Object.keys(meanings),
    keys.map(({ name }) => name),
  );
  return [
    '# Search attributes',
    'For the Web UI and for `temporal workflow list --query`. How they get into a namespace: [temporal.md](../temporal.md).',
    table(
      ['name', 'type', 'is'],
      keys.map(({ name, type }) => [`\`${name}\``, typeNames[type], meanings[name]]),
    ),
  ].join('\n\n');
};
