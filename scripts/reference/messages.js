const { join } = require('node:path');
const { readSource, requireSame, root, table } = require('./source.js');

const workflows = {
  runWorkflow: ['`run/<id>`', 'the root agent of a run'],
  relayWorkflow: ['`run/<id>`', 'a relay: a chain of skills, each step a delegation below it'],
  delegationWorkflow: [
    '`<id of the parent>/<delegation id>`',
    'one delegation: an agent that works for another agent or for a relay',
  ],
  sessionWorkflow: ['`<id of the parent>/session-<turn>`', 'host of the session that the delegations of a batch share'],
};

/** Reads each message and the comment above it, which is its description. */
function messages() {
  const pattern =
    /\/\*\*((?:[^*]|\*(?!\/))*)\*\/\s*export const \w+ =\s*define(Query|Signal|Update)(?:<([\s\S]*?)>)?\(\s*'(\w+)'/g;
  return [...readSource('workflows/messages.ts').matchAll(pattern)].map(([, comment, kind, types = '', name]) => ({
    name,
    kind: kind.toLowerCase(),
    types: types.replace(/\s+/g, ' '),
    meaning: comment.replace(/\s*\n\s*\* ?/g, ' ').trim(),
  }));
}

module.exports = function messagesPage() {
  const defined = Object.values(require(join(root, 'dist', 'workflows', 'messages.js'))).filter((one) => one?.name);
  const found = messages();
  requireSame(
    'messages',
    found.map(({ name }) => name),
    defined.map(({ name }) => name),
  );
  const exported = readSource('workflows/index.ts').match(/\b\w+Workflow\b/g) ?? [];
  requireSame('workflows', Object.keys(workflows), [...new Set(exported)]);
  const { defaultTaskQueue } = require(join(root, 'dist', 'temporal-config', 'task-queues.js'));
  return [
    '# Workflows and messages',
    `The wire names that a program needs to work with runs through its own Temporal client. The task queue is \`${defaultTaskQueue}\`, or the value of \`BATON_TASK_QUEUE\`.`,
    '## Workflow types',
    table(
      ['type', 'workflow id', 'meaning'],
      Object.entries(workflows).map(([type, rest]) => [`\`${type}\``, ...rest]),
    ),
    '## Messages',
    table(
      ['name', 'kind', 'TypeScript', 'meaning'],
      found.map(({ name, kind, types, meaning }) => [`\`${name}\``, kind, types === '' ? '' : `\`${types}\``, meaning]),
    ),
  ].join('\n\n');
};
