import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mcpFileIn, parseMcpFile, readMcpServers } from '../../../definitions/mcp/read-servers';

const folder = mkdtempSync(join(tmpdir(), 'baton-mcp-config-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const parse = (mcpServers: object, variables: Record<string, string> = {}): ReturnType<typeof parseMcpFile> =>
  parseMcpFile(JSON.stringify({ mcpServers }), variables);

describe('.mcp.json', () => {
  test('names servers of both kinds, with fields that only other programs know', () => {
    const { servers, problems } = parse({
      files: { command: 'npx', args: ['-y', 'server'], env: { A: 'b' }, autoApprove: ['x'] },
      plain: { type: 'stdio', command: 'server' },
      remote: { url: 'https://example.com/mcp', headers: { 'X-Key': 'k' }, timeout: 1_000 },
      other: { type: 'streamable-http', url: 'http://127.0.0.1:1/mcp' },
    });
    expect(problems).toEqual([]);
    expect(servers).toEqual({
      files: { type: 'stdio', command: 'npx', args: ['-y', 'server'], env: { A: 'b' } },
      plain: { type: 'stdio', command: 'server', args: [], env: {} },
      remote: { type: 'http', url: 'https://example.com/mcp', headers: { 'X-Key': 'k' }, timeout: 1_000 },
      other: { type: 'http', url: 'http://127.0.0.1:1/mcp', headers: {} },
    });
  });

  test('has variables replaced in every text, with a default where there is one', () => {
    const entry = {
      command: '${BIN:-node}',
      args: ['--root=${ROOT}', '${EMPTY:-filled}', '$ROOT'],
      env: { TOKEN: '${TOKEN}', NONE: '${NONE:-}' },
    };
    const { servers } = parse({ a: entry }, { ROOT: '/srv', TOKEN: 't0k3n', EMPTY: '' });
    expect(servers['a']).toEqual({
      type: 'stdio',
      command: 'node',
      args: ['--root=/srv', 'filled', '$ROOT'],
      env: { TOKEN: 't0k3n', NONE: '' },
    });
  });

  test.each([
    ['a variable without a value', { command: 'x', env: { A: '${MISSING}' } }, 'the variable MISSING is not set'],
    ['neither command nor address', {}, 'needs a command or a url'],
    ['both', { command: 'x', url: 'https://a.example' }, 'use one of them'],
    ['the older transport', { type: 'sse', url: 'https://a.example/sse' }, 'is not supported'],
    ['an unknown type', { type: 'carrier-pigeon', command: 'x' }, 'must be stdio or http'],
    ['a list', ['x'], 'must be an object'],
    ['arguments that are not texts', { command: 'x', args: [1] }, 'args.0'],
    ['an address that is none', { url: 'ftp://a.example' }, 'must be an http or https address'],
    ['a password in the address', { url: 'https://me:secret@a.example' }, 'must not contain a password'],
    ['a time limit that no activity has', { command: 'x', timeout: 10_000_000 }, 'timeout'],
  ])('skips and names an entry with %s, and keeps the others', (_, entry, message) => {
    const { servers, problems } = parse({ bad: entry, good: { command: 'x' } });
    expect(Object.keys(servers)).toEqual(['good']);
    expect(problems).toEqual([{ server: 'bad', message: expect.stringContaining(message) as string }]);
  });

  test('skips a name that could not be used elsewhere', () => {
    expect(parse({ 'a b': { command: 'x' } }).problems).toMatchObject([{ server: 'a b' }]);
  });

  test('may switch an entry off, which then needs no variables', () => {
    expect(parse({ a: { command: '${MISSING}', disabled: true } })).toEqual({
      servers: {},
      disabled: ['a'],
      problems: [],
    });
  });

  test.each([
    ['is not JSON', '{', 'is not valid JSON'],
    ['has no servers', '{}', 'mcpServers'],
    ['has a key twice', '{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}', 'occurs twice'],
  ])('that %s is named as a whole', (_, text, message) => {
    expect(parseMcpFile(text, {})).toMatchObject({
      servers: {},
      problems: [{ server: '', message: expect.stringContaining(message) as string }],
    });
  });

  test('need not exist, and is not read through a link', async () => {
    const file = mcpFileIn(folder);
    expect(await readMcpServers(file, {})).toMatchObject({ exists: false, problems: [] });
    writeFileSync(join(folder, 'real.json'), '{"mcpServers": {}}');
    symlinkSync(join(folder, 'real.json'), file);
    expect(await readMcpServers(file, {})).toMatchObject({
      exists: true,
      problems: [{ message: 'is not a regular file' }],
    });
  });
});
