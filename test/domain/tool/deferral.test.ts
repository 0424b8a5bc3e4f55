import fc from 'fast-check';
import {
  heldTools,
  descriptionTokens,
  findToolName,
  offered,
  offerTools,
  type ToolDescription,
} from '../../../domain/tool';

const tool = (name: string, server?: string, bytes = 300): ToolDescription => ({
  name,
  id: `test/${name}@1`,
  description: 'x'.repeat(bytes),
  inputSchema: { type: 'object' },
  success: 'It is done.',
  cost: 'Nothing.',
  safeToRepeat: true,
  ...(server === undefined ? {} : { mcp: { server, tool: name, hash: 'h' } }),
});
const names = (tools: readonly ToolDescription[]): string[] => tools.map(({ name }) => name);
const tokens = (tools: readonly ToolDescription[]): number =>
  tools.reduce((sum, each) => sum + descriptionTokens(each), 0);

const own = tool('read_file', undefined, 90_000);
const large = ['a', 'b', 'c'].map((name) => tool(`mcp__large__${name}`, 'large', 3_000));
const small = ['d', 'e'].map((name) => tool(`mcp__small__${name}`, 'small'));

describe('deferring the descriptions of tools', () => {
  test('returns the same list while the MCP tools are within the limit, however large others are', () => {
    const tools = [own, ...small];
    expect(offerTools(tools, { maxTokens: 1_000 })).toEqual({ shown: tools, deferred: [] });
    expect(offerTools(tools, { maxTokens: 1_000 }).shown).toBe(tools);
  });

  test('defers the largest server as a whole, and says how many tools there are', () => {
    const { shown, deferred } = offerTools([own, ...large, ...small], { maxTokens: 1_000 });
    expect(names(shown)).toEqual(['read_file', 'mcp__small__d', 'mcp__small__e', 'find_tool']);
    expect(deferred).toEqual(large);
    expect(shown.at(-1)?.description).toContain('Not in your list are 3 tools: large (3).');
    expect(shown.at(-1)?.success).toContain('Deferred are 3 tools: large (3).');
  });

  test('defers all of them with a limit of 0, and counts by server', () => {
    const { shown, deferred } = offerTools([own, ...small, ...large], { maxTokens: 0 });
    expect(names(shown)).toEqual(['read_file', 'find_tool']);
    expect(deferred).toHaveLength(5);
    expect(shown.at(-1)?.description).toContain('5 tools: large (3), small (2).');
  });

  test('never defers what was found', () => {
    const isFound = (name: string): boolean => name === 'mcp__large__b';
    const { shown, deferred } = offerTools([...large, ...small], { maxTokens: 1_500, isFound });
    expect(names(shown)).toContain('mcp__large__b');
    expect(names(deferred)).toEqual(['mcp__large__a', 'mcp__large__c']);
  });

  test('keeps find_tool only as long as something is deferred', () => {
    const { shown } = offerTools([...large], { maxTokens: 0 });
    expect(names(offered([...shown, ...large], []).shown)).toEqual(names(large));
    expect(names(offerTools([...small, ...shown], { maxTokens: 10_000 }).shown)).toEqual(names(small));
  });

  const someTools = fc.uniqueArray(
    fc.record({
      name: fc.stringMatching(/^[a-z]{1,6}$/),
      server: fc.option(fc.constantFrom('one', 'two', 'three', '__proto__'), { nil: undefined }),
      bytes: fc.nat(2_000),
    }),
    { selector: ({ name }) => name, maxLength: 25 },
  );

  test('loses no tool, adds none, and shows no more than the limit', () => {
    fc.assert(
      fc.property(someTools, fc.nat(5_000), (specs, maxTokens) => {
        const tools = specs.map(({ name, server, bytes }) => tool(name, server, bytes + 1));
        const offer = offerTools(tools, { maxTokens });
        expect(names(heldTools(offer)).sort()).toEqual(names(tools).sort());
        expect(offer.shown.some(({ name }) => name === findToolName)).toBe(offer.deferred.length > 0);
        expect(offer.deferred.every(({ mcp }) => mcp !== undefined)).toBe(true);
        expect(tokens(offer.shown.filter(({ mcp }) => mcp !== undefined))).toBeLessThanOrEqual(maxTokens);
        // What a child gets is decided again from the same tools.
        expect(offerTools(heldTools(offer), { maxTokens }).deferred).toEqual(offer.deferred);
      }),
      { numRuns: 500 },
    );
  });
});
