import { defaultTaskQueue } from '../../temporal-config/names';
import * as defined from '../../workflows/messages';
import { readSource, requireSame, table } from './source';

interface Message {
  readonly name: string;
  readonly kind: string;
  readonly types: string;
  readonly meaning: string;
}

const workflows: Readonly<Record<string, readonly [id: string, meaning: string]>> = {
  runWorkflow: ['`run/<id>`', 'the root agent of a run'],
  relayWorkflow: ['`run/<id>`', 'a relay: a chain of skills, each step a delegation below it'],
  delegationWorkflow: [
    '`<id of the parent>/<delegation id>`',
    'one delegation: an agent that works for another agent or for a relay',
  ],
  sessionWorkflow: ['`<id of the parent>/session-<turn>`', 'host of the session that the delegations of a batch share'],
};

/** Reads each message and the comment above it, which is its description. */
function messages(): Message[] {
  const pattern =
    /\/\*\*((?:[^*]|\*(?!\/))*)\*\/\s*export const \w+ =\s*define(Query|Signal|Update)(?:<([\s\S]*?)>)?\(\s*'(\w+)'/g;
  const found = readSource('workflows/messages.ts').matchAll(pattern);
  return [...found].map(([, comment = '', kind = '', types = '', name = '']) => ({
    name,
    kind: kind.toLowerCase(),
    types: types.replace(/\s+/g, ' '),
    meaning: comment.replace(/\s*\n\s*\* ?/g, ' ').trim(),
  }));
}

export function messagesPage(): string {
  const found = messages();
  requireSame(
    'messages',
    found.map(({ name }) => name),
    Object.values(defined).map(({ name }) => name),
  );
  const exported = readSource('workflows/index.ts').match(/\b\w+Workflow\b/g) ?? [];
  requireSame('workflows', Object.keys(workflows), [...new Set(exported)]);
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
}
