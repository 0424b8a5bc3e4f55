import fc from 'fast-check';
import { isMcpToolName, mayGrant, mcpGrantsSchema, mcpToolName, mergeGrants, parseGrant } from '../../../domain/mcp';
import { toolNameSchema } from '../../../domain/tool';

describe('grants', () => {
  test('are written as a server, or as a server and some of its tools', () => {
    expect(parseGrant('github')).toEqual({ github: '*' });
    expect(parseGrant('github:*')).toEqual({ github: '*' });
    expect(parseGrant('github:search_code, get_issue,search_code')).toEqual({ github: ['search_code', 'get_issue'] });
  });

  test.each(['', ':a', 'a b', 'github:', 'github:a,,b', '../x'])('"%s" is not one', (text) => {
    expect(() => parseGrant(text)).toThrow('does not name an MCP server');
  });

  test('are merged to what either allows', () => {
    expect(mergeGrants({ a: ['x'], b: '*' }, { a: ['y', 'x'], b: ['z'], c: ['w'] })).toEqual({
      a: ['x', 'y'],
      b: '*',
      c: ['w'],
    });
  });

  test('are limited in size', () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`server-${index}`, ['x'.repeat(100)]]));
    expect(mcpGrantsSchema.safeParse(many).error?.issues[0]?.message).toContain('at most 8192 bytes');
  });

  test('say whether they may include a tool', () => {
    const grants = { git: ['log'], files: '*' as const };
    expect(
      ['mcp__git__log', 'mcp__files__read', 'mcp__git__push', 'read_file'].map((name) => mayGrant(grants, name)),
    ).toEqual([true, true, false, false]);
  });
});

describe('the name of a tool', () => {
  const server = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/);
  const tool = fc.stringMatching(/^[\x21-\x7E]{1,128}$/);

  test('is readable where it can be', () => {
    expect(mcpToolName('github', 'search_code')).toBe('mcp__github__search_code');
  });

  test('is accepted by providers, whatever a server calls its tools', () => {
    fc.assert(
      fc.property(server, tool, (aServer, aTool) => {
        const name = mcpToolName(aServer, aTool);
        expect(toolNameSchema.safeParse(name).success).toBe(true);
        expect(isMcpToolName(name)).toBe(true);
      }),
    );
  });

  test('is never that of another tool', () => {
    const short = fc.stringMatching(/^[a_.]{1,4}$/);
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(short, short), { selector: ([a, b]) => `${a}\0${b}`, minLength: 2 }),
        (pairs) => {
          const names = pairs.map(([aServer, aTool]) => mcpToolName(aServer, aTool));
          expect(new Set(names).size).toBe(names.length);
        },
      ),
    );
  });
});
