import fc from 'fast-check';
import { parseMcpFile } from '../../definitions/mcp/read-servers';
import { describeTools, descriptionTokens, readResult, toolHash } from '../../domain/mcp';
import type { Json } from '../../domain/kernel';
import { toolDescriptionSchema } from '../../domain/tool';
import { expectNotQuadratic } from './support/growth';
import { fuzz } from './support/target';
import { changed, hostileJson, hostileText } from './support/values';

const names = fc.oneof(fc.constantFrom('search', 'read_file', 'a.b-c'), hostileText);
const property: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(
    { type: 'string' },
    { type: 'integer', minimum: 1 },
    { enum: ['a', 'b'] },
    { $ref: '#/$defs/d' },
  ),
  fc.constantFrom<Json>({ anyOf: [{ type: 'string' }, { type: 'null' }] }, { type: 'array', items: {} }, true),
);
const schema = fc
  .tuple(fc.dictionary(fc.constantFrom('path', 'query', 'n'), property, { maxKeys: 3 }), fc.boolean())
  .map(([properties, hasDefs]): Json => ({
    type: 'object',
    properties,
    ...(hasDefs ? { $defs: { d: { type: 'string' } } } : {}),
  }));
const listed = fc.array(
  changed(
    fc.record({
      name: names,
      description: hostileText,
      inputSchema: schema,
      annotations: fc.constant({ readOnlyHint: true }),
    }),
    0.6,
  ),
  { maxLength: 4 },
);

const block = fc.oneof<fc.Arbitrary<Json>[]>(
  fc.record({ type: fc.constant('text'), text: hostileText }),
  fc.record({ type: fc.constant('image'), data: fc.constantFrom('AAAA', '!', ''), mimeType: hostileText }),
  fc.record({ type: fc.constant('audio'), data: fc.constant('AAAA'), mimeType: fc.constant('audio/wav') }),
  fc.record({ type: fc.constant('resource_link'), uri: hostileText, name: hostileText }),
  fc.record({ type: fc.constant('resource'), resource: fc.record({ uri: hostileText, text: hostileText }) }),
);

const servers = fc.oneof<fc.Arbitrary<Json>[]>(
  fc.record({ command: fc.constantFrom('node', 'npx'), args: fc.array(hostileText, { maxLength: 2 }) }),
  fc.record({ url: fc.constantFrom('https://example.com/mcp', 'http://127.0.0.1:1/mcp', 'ftp://x', '${URL}') }),
  fc.record({ command: fc.constant('node'), env: fc.dictionary(fc.constant('TOKEN'), fc.constantFrom('${X}', 'y')) }),
);

describe('MCP servers', () => {
  fuzz({
    name: 'tools that MCP servers list',
    input: listed,
    run(tools) {
      const described = describeTools('server', tools);
      for (const tool of described.tools) {
        if (!toolDescriptionSchema.safeParse(tool).success) throw new Error('it is described wrongly');
        expect(tool.description.length).toBeLessThanOrEqual(4_000);
        expect(descriptionTokens(tool)).toBeGreaterThan(0);
      }
      // The worker looks for a tool by its name.
      for (const tool of tools) if (isTool(tool)) toolHash(tool);
      return described.tools.length > 0 ? 'accepted' : 'refused';
    },
    shares: { accepted: 0.3, refused: 0.2 },
    cases: 2_000,
  });

  fuzz({
    name: 'results of MCP tools',
    input: fc.tuple(fc.array(changed(block, 0.7), { maxLength: 4 }), fc.option(hostileJson, { nil: undefined })),
    run([content, structured]) {
      const parts = readResult(content, structured);
      const isReadable = parts.every((part) => !('text' in part) || !/cannot be read/.test(part.text));
      for (const part of parts) expect('text' in part || 'base64' in part).toBe(true);
      return isReadable ? 'accepted' : 'refused';
    },
    shares: { accepted: 0.3, refused: 0.1 },
    cases: 2_000,
  });

  fuzz({
    name: 'configurations of MCP servers',
    input: fc.tuple(changed(servers, 0.6), fc.oneof(fc.constantFrom('search', 'files'), hostileText)),
    run([config, name]) {
      const file = JSON.stringify({ mcpServers: Object.fromEntries([[name, config]]) });
      const { problems } = parseMcpFile(file, { X: 'x', URL: 'http://127.0.0.1/' });
      for (const { message } of problems) {
        expect(message.length).toBeGreaterThan(0);
        expect(message.length).toBeLessThan(2_000);
      }
      return problems.length === 0 ? 'accepted' : 'refused';
    },
    shares: { accepted: 0.1, refused: 0.2 },
    cases: 2_000,
  });

  test.each<[string, (size: number) => Json[]]>([
    [
      'many tools',
      (size) => Array.from({ length: size }, (_, n) => ({ name: `t${n}`, inputSchema: { type: 'object' } })),
    ],
    ['a long description', (size) => [{ name: 't', description: 'x '.repeat(size), inputSchema: { type: 'object' } }]],
    ['many parameters', (size) => [{ name: 't', inputSchema: { type: 'object', properties: properties(size) } }]],
    ['equal names', (size) => Array.from({ length: size }, () => ({ name: 't', inputSchema: { type: 'object' } }))],
  ])('that list %s take no time that grows with the square of it', async (_, toolsOf) => {
    await expectNotQuadratic(500, (size) => {
      const tools = toolsOf(size);
      return () => describeTools('server', tools);
    });
  });

  test.each<[string, (size: number) => Json]>([
    ['many servers', (size) => Object.fromEntries(Array.from({ length: size }, (_, n) => [`s${n}`, { command: 'x' }]))],
    ['many arguments', (size) => ({ s: { command: 'x', args: Array.from({ length: size }, () => '${X}') } })],
    [
      'many unset variables',
      (size) => ({ s: { command: Array.from({ length: size }, (_, n) => `\${V${n}}`).join('') } }),
    ],
    ['defaults that do not end', (size) => ({ s: { command: '${X:-'.repeat(size) } })],
    ['names that do not end', (size) => ({ s: { command: `\${${'X'.repeat(size)}` } })],
    ['a long address', (size) => ({ s: { url: `http://${'a.'.repeat(size)}` } })],
    ['many fields', (size) => ({ s: { command: 'x', ...properties(size) } })],
  ])('with %s in their configuration take no time that grows with the square of it', async (_, serversOf) => {
    await expectNotQuadratic(500, (size) => {
      const file = JSON.stringify({ mcpServers: serversOf(size) });
      return () => parseMcpFile(file, { X: 'x' });
    });
  });

  test('take no time that grows with the square of their result', async () => {
    await expectNotQuadratic(500, (size) => {
      const content = Array.from({ length: size }, (_, n) => ({ type: 'text', text: `{"n":${n}}` }));
      const structured = { items: Array.from({ length: size }, (_, n) => n) };
      return () => readResult(content, structured);
    });
  });
});

const properties = (size: number): Record<string, Json> =>
  Object.fromEntries(Array.from({ length: size }, (_, index) => [`p${index}`, { type: 'string' }]));

function isTool(value: Json): value is Json & Parameters<typeof toolHash>[0] {
  return (
    typeof value === 'object' &&
    value !== null &&
    'name' in value &&
    typeof (value as { name: unknown }).name === 'string'
  );
}
