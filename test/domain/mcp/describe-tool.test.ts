import fc from 'fast-check';
import { describeTools, descriptionTokens, toolHash } from '../../../domain/mcp';
import { toolDescriptionSchema, type ToolDescription } from '../../../domain/tool';
import { hostileTools } from '../../support/mcp/hostile-tools';

const { tools, problems } = describeTools('odd', hostileTools);
const found = (name: string): ToolDescription | undefined => tools.find(({ mcp }) => mcp?.tool === name);

describe('tools that a server lists', () => {
  test('are described like our own, with their origin and what was pinned', () => {
    expect(found('good')).toEqual({
      name: 'mcp__odd__good',
      id: expect.stringMatching(/^mcp\/odd\/good#[0-9a-f]{12}$/) as string,
      description: 'Works.',
      inputSchema: { type: 'object', properties: {} },
      success: 'The result that the MCP server "odd" returns.',
      cost: 'A request to the server; the result counts as input tokens.',
      safeToRepeat: false,
      mcp: { server: 'odd', tool: 'good', hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
    });
    for (const tool of tools) expect(toolDescriptionSchema.safeParse(tool).success).toBe(true);
  });

  test('are skipped and named if they cannot be used', () => {
    expect(
      problems.filter(({ isSkipped }) => isSkipped).map(({ tool, message }) => `${tool.slice(0, 13)}: ${message}`),
    ).toEqual([
      'good: the server lists another tool with this name',
      'na me: its name is empty, too long, or has characters other than visible ASCII',
      'xxxxxxxxxxxxx: its name is empty, too long, or has characters other than visible ASCII',
      'no_object: its input schema does not have type "object"',
      'deep: its input schema is nested more than 24 levels deep',
      'recursive: its input schema is recursive',
      'outside: its input schema refers to another document',
      'bad_parameter: providers do not accept the parameter name "not allowed"',
      ': it has no name',
      ': it has no name',
    ]);
  });

  test('have no characters that a reader does not see, and no endless descriptions', () => {
    expect(found('hidden')?.description).toBe('Benign word[31m');
    expect(found('huge')?.description).toHaveLength(4_000);
    expect(problems).toContainEqual(expect.objectContaining({ tool: 'huge', isSkipped: false }));
  });

  test('have schemas that providers accept', () => {
    expect(found('referring')?.inputSchema).toEqual({
      type: 'object',
      properties: { where: { type: 'object', properties: { city: { type: 'string' } } } },
    });
    expect(found('either')?.inputSchema).toEqual({ type: 'object', properties: {} });
  });

  test('are safe to repeat only if their hints say so, clearly, and are trusted', () => {
    const safe = (annotations: unknown, trustHints?: boolean): boolean | undefined =>
      describeTools('odd', [{ name: 'a', inputSchema: { type: 'object' }, annotations }], { trustHints }).tools[0]
        ?.safeToRepeat;
    expect([undefined, {}, { readOnlyHint: true }, { idempotentHint: true }].map((hints) => safe(hints))).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect(
      [{ readOnlyHint: 'true' }, { readOnlyHint: true, destructiveHint: true }].map((hints) => safe(hints)),
    ).toEqual([false, false]);
    expect(safe({ readOnlyHint: true }, false)).toBe(false);
  });

  test('have another hash if the schema or a hint changes, and the same if only the description does', () => {
    const tool = {
      name: 'a',
      description: 'A.',
      inputSchema: { type: 'object', properties: { x: { type: 'string' } } },
    };
    const hash = toolHash(tool);
    expect(toolHash({ ...tool, description: 'B.' })).toBe(hash);
    expect(toolHash({ ...tool, inputSchema: { type: 'object', properties: { x: { type: 'number' } } } })).not.toBe(
      hash,
    );
    expect(toolHash({ ...tool, annotations: { readOnlyHint: true } })).not.toBe(hash);
  });

  test('never make describing them fail, whatever they are', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.jsonValue(), fc.record({ name: fc.string(), inputSchema: fc.jsonValue() }))),
        (listed) => {
          const described = describeTools('s', listed);
          for (const tool of described.tools) {
            expect(toolDescriptionSchema.safeParse(tool).success).toBe(true);
            expect(tool.inputSchema['type']).toBe('object');
            expect(descriptionTokens(tool)).toBeGreaterThan(0);
          }
        },
      ),
    );
  });
});
