// JSON Schemas of everything that programs in other languages send and receive.
import { z } from 'zod';
import { messageContracts, workflowContracts } from '../../workflows/contracts';
import { portable, relayInputSchema, runInputSchema } from './settings';
import { TypeSchemas } from './type-schema';
import { table } from './source';

const files = {
  events: 'client/event/record.ts',
  conversation: 'client/conversation/conversation.ts',
  status: 'domain/agent/status-contract.ts',
} as const;

/** Types without a zod schema, by the name of their page. */
const types: Readonly<Record<string, { readonly file: string; readonly type: string; readonly title: string }>> = {
  'event.schema.json': { file: files.events, type: 'RunEvent', title: 'Event of a run, a line of baton tail --json' },
  'conversation-entry.schema.json': {
    file: files.conversation,
    type: 'ConversationEntry',
    title: 'Entry of the conversation of an agent',
  },
  'session.result.schema.json': { file: files.status, type: 'SessionView', title: 'Result of the query session' },
};

/** The inputs of clients: those of the contracts also contain what an execution passes to the next one. */
const publicInputs: Readonly<Record<string, () => string>> = {
  'run-workflow.input.schema.json': runInputSchema,
  'relay-workflow.input.schema.json': relayInputSchema,
};

interface Contract {
  readonly name: string;
  readonly kind?: 'query' | 'update' | 'signal';
  readonly input: z.ZodType;
  readonly result: z.ZodType;
}

const contracts: readonly Contract[] = [...workflowContracts, ...messageContracts];

/** Names of all schemas, each with what writes it. They are below docs/reference/schemas/. */
export function schemaPages(): Readonly<Record<string, () => string>> {
  const typed = (): TypeSchemas => new TypeSchemas(Object.values(files));
  let made: TypeSchemas | undefined;
  return {
    ...Object.fromEntries(
      contracts.flatMap(({ input, result, ...contract }) => [
        ...page(contract, 'input', input),
        ...page(contract, 'result', result),
      ]),
    ),
    ...publicInputs,
    ...Object.fromEntries(
      Object.entries(types).map(([name, { file, type, title }]) => [
        name,
        () => JSON.stringify({ title, ...(made ??= typed()).schemaOf(file, type) }),
      ]),
    ),
  };
}

function page(
  { name, kind }: Pick<Contract, 'name' | 'kind'>,
  side: 'input' | 'result',
  schema: z.ZodType,
): (readonly [string, () => string])[] {
  if (isNothing(schema)) return [];
  const of = kind === undefined ? name : `the ${kind} ${name}`;
  const title = `${side === 'input' && kind !== undefined ? 'Argument' : side === 'input' ? 'Input' : 'Result'} of ${of}`;
  const write = (): string =>
    JSON.stringify({ title, ...portable(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })) });
  return [[`${kebab(name)}.${side}.schema.json`, write]];
}

/** Messages without an argument, and Signals, which return nothing. */
function isNothing(schema: z.ZodType): boolean {
  return schema instanceof z.ZodUndefined || schema instanceof z.ZodVoid;
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** A page with a link to every schema. */
export function schemasPage(): string {
  const names = Object.keys(schemaPages());
  const link = (name: string): string => (names.includes(name) ? `[schema](${name})` : '');
  return [
    '# JSON Schemas',
    'What programs in any language send to Baton and receive from it, as JSON Schema (draft 2020-12). [How to use them](../../other-languages.md).',
    table(
      ['workflow or message', 'kind', 'input or argument', 'result'],
      contracts.map(({ name, kind }) => [
        `\`${name}\``,
        kind ?? 'workflow',
        link(`${kebab(name)}.input.schema.json`),
        link(`${kebab(name)}.result.schema.json`),
      ]),
    ),
    table(
      ['value', 'schema'],
      [
        ['a line of `baton tail --json`, and an event of the library', '[event](event.schema.json)'],
        ['an entry of a conversation', '[entry](conversation-entry.schema.json)'],
      ],
    ),
    'Delegations and hosts of sessions are started by other workflows; signals, `applyTurns` and `isClosed` are sent by Baton itself. Their schemas are for reading histories. An object may get more fields in a later version.',
  ].join('\n\n');
}
