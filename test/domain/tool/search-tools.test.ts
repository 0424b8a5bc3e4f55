import fc from 'fast-check';
import { searchTools, type ToolDescription } from '../../../domain/tool';

const tool = (name: string, description = 'Does it.'): ToolDescription => ({
  name,
  id: `test/${name}@1`,
  description,
  inputSchema: { type: 'object' },
  success: 'It is done.',
  cost: 'Nothing.',
  safeToRepeat: true,
});
const names = (query: string, tools: readonly ToolDescription[]): string[] =>
  searchTools(query, tools).map((match) => match.tool.name);

const tools = [
  tool('mcp__github__create_issue', 'Creates an issue in a repository.'),
  tool('mcp__github__listIssues', 'Lists the issues of a repository.'),
  tool('mcp__github__get_commit', 'Returns a commit with its changes.'),
  tool('mcp__jira__search', 'Searches tickets, which others call issues.'),
  tool('mcp__mail__send', 'Sends a message to a person. Creates nothing.'),
];

describe('searching tools', () => {
  test('ranks words of the name before those of the description, and more words before fewer', () => {
    expect(names('create an issue', tools)).toEqual([
      'mcp__github__create_issue',
      'mcp__github__listIssues',
      'mcp__jira__search',
      'mcp__mail__send',
    ]);
    expect(names('jira', tools)).toEqual(['mcp__jira__search']);
  });

  test('finds a tool by its complete name before everything else, and several at once', () => {
    expect(names('mcp__mail__send', tools)).toEqual(['mcp__mail__send']);
    expect(names('mcp__mail__receive', tools)).toEqual([]);
    expect(names('mcp', tools)).toEqual([]);
    expect(names('mcp__jira__search, mcp__github__get_commit', tools)).toEqual([
      'mcp__github__get_commit',
      'mcp__jira__search',
    ]);
  });

  test('splits camel case, ignores case and fillers, and matches beginnings and plurals', () => {
    expect(names('ISSUES', tools)[0]).toBe('mcp__github__listIssues');
    expect(names('I want a tool to send', tools)).toEqual(['mcp__mail__send']);
    expect(names('commits', tools)).toEqual(['mcp__github__get_commit']);
    expect(names('repo', tools)).toEqual(['mcp__github__create_issue', 'mcp__github__listIssues']);
  });

  test('finds nothing for a query without words, and nothing in an empty list', () => {
    expect(names(' ,.;"', tools)).toEqual([]);
    expect(names('', tools)).toEqual([]);
    expect(names('issue', [])).toEqual([]);
  });

  test('searches for fillers if there is nothing else', () => {
    expect(names('a', [tool('a')])).toEqual(['a']);
  });

  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 60 }), fc.lorem({ maxCount: 8 }));
  const someTools = fc.uniqueArray(fc.tuple(fc.stringMatching(/^[a-zA-Z0-9_-]{1,64}$/), text), {
    selector: ([name]) => name,
    maxLength: 20,
  });
  const described = (pairs: readonly (readonly [string, string])[]): ToolDescription[] =>
    pairs.map(([name, description]) => tool(name, description));

  test('never depends on the order of the tools, and returns each at most once', () => {
    fc.assert(
      fc.property(text, someTools, (query, pairs) => {
        const found = names(query, described(pairs));
        expect(names(query, described([...pairs].reverse()))).toEqual(found);
        expect(new Set(found).size).toBe(found.length);
      }),
      { numRuns: 500 },
    );
  });

  test('always finds a tool by its name, whatever else there is', () => {
    fc.assert(
      fc.property(someTools, fc.nat(), (pairs, at) => {
        fc.pre(pairs.length > 0);
        const [name = ''] = pairs[at % pairs.length] ?? [];
        expect(names(name, described(pairs))[0]).toBe(name);
      }),
      { numRuns: 500 },
    );
  });

  const words = fc
    .array(fc.constantFrom('lorem', 'dolor', 'ab', 'tempora', 'x1', 'sit'), { minLength: 1, maxLength: 4 })
    .map((all) => all.join(' '));

  test('another word never removes a match', () => {
    fc.assert(
      fc.property(words, words, someTools, (query, more, pairs) => {
        const found = names(query, described(pairs));
        expect(names(`${query} ${more}`, described(pairs))).toEqual(expect.arrayContaining(found));
      }),
      { numRuns: 500 },
    );
  });

  test('takes bounded time for long texts', () => {
    const long = 'aB1-'.repeat(200_000);
    const start = performance.now();
    searchTools(
      long,
      Array.from({ length: 50 }, (_, index) => tool(`tool_${index}`, long)),
    );
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});
