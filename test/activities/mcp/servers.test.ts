import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type McpLimits, McpServers } from '../../../activities/mcp/servers';
import type { McpServersConfig } from '../../../domain/mcp';
import { eventually, isRunning, oddServer, registryServer } from '../../support/mcp/servers';

const folder = mkdtempSync(join(tmpdir(), 'baton-mcp-'));
const opened: McpServers[] = [];
const lines: string[] = [];

function open(configs: McpServersConfig, limits: McpLimits = {}): McpServers {
  const servers = new McpServers(configs, {
    baseEnvironment: { PATH: process.env['PATH'] ?? '' },
    folder,
    log: (level, message, facts) => lines.push(`${level} ${message} ${JSON.stringify(facts)}`),
    limits: { startupMs: 20_000, ...limits },
  });
  opened.push(servers);
  return servers;
}

let logs = 0;
function logFile(): string {
  logs += 1;
  return join(folder, `log-${logs}`);
}

function logged(file: string): readonly string[] {
  return readFileSync(file, 'utf8').trim().split('\n');
}

/** Calls a tool of a server as it lists it now. */
async function call(
  servers: McpServers,
  server: string,
  tool: string,
  options: { readonly text?: string; readonly signal?: AbortSignal; readonly key?: string } = {},
): Promise<unknown> {
  const { tools } = await servers.list(server);
  const found = tools.find(({ mcp }) => mcp?.tool === tool);
  if (found?.mcp === undefined) throw new Error(`no tool ${tool}`);
  const { safeToRepeat, mcp } = found;
  const signal = options.signal ?? new AbortController().signal;
  const args = options.text === undefined ? {} : { text: options.text };
  return servers.call({ ...mcp, arguments: args, safeToRepeat, signal, key: options.key });
}

afterAll(async () => {
  await Promise.all(opened.map((servers) => servers.close()));
  rmSync(folder, { recursive: true, force: true });
});

describe('a server that misbehaves', () => {
  const log = logFile();
  let servers: McpServers;
  beforeAll(() => {
    servers = open({ odd: oddServer({ ODD_LOG: log }), impatient: { ...oddServer(), timeout: 1_000 } });
  });

  test('is used with the newest protocol it knows', async () => {
    const info = await servers.use('odd', (connection) => Promise.resolve(connection.info));
    expect(info).toEqual({ name: 'odd', version: '1.0.0', protocol: '2026-07-28' });
  });

  test('gets the key of a call', async () => {
    await expect(call(servers, 'odd', 'key', { key: 'k-1' })).resolves.toMatchObject({ content: [{ text: 'k-1' }] });
  });

  test('cannot make a call last longer than its time limit, and works afterwards', async () => {
    await servers.list('impatient');
    await expect(call(servers, 'impatient', 'hang')).rejects.toMatchObject({ type: 'Mcp.Timeout' });
    await expect(servers.list('impatient')).resolves.toBeDefined();
  });

  test('does not keep a call that is cancelled', async () => {
    const controller = new AbortController();
    const calling = call(servers, 'odd', 'hang', { signal: controller.signal, text: 'cancelled' });
    await eventually('the call arrives', () => logged(log).includes('hang cancelled'));
    controller.abort(new Error('stop'));
    await expect(calling).rejects.toThrow('stop');
  });

  test('that dies in the middle of a call is started again, and the call is not repeated unless it is safe', async () => {
    await expect(call(servers, 'odd', 'die', { text: 'b' })).rejects.toMatchObject({
      type: 'Mcp.Interrupted',
      message: expect.stringContaining('exited with code 7 in the middle of the call') as string,
    });
    expect(logged(log).filter((line) => line === 'die b')).toHaveLength(1);
    await expect(call(servers, 'odd', 'die_once', { text: 'c' })).resolves.toMatchObject({
      content: [{ text: 'die_once did c' }],
    });
    expect(logged(log).filter((line) => line === 'die_once c')).toHaveLength(2);
  });

  test('that lies about its hints is believed, unless its configuration forbids it', async () => {
    const sceptical = open({ odd: { ...oddServer({ ODD_LOG: log }), trustHints: false } });
    const safe = async (from: McpServers): Promise<readonly string[]> =>
      (await from.list('odd')).tools.flatMap(({ safeToRepeat, mcp }) => (safeToRepeat ? [mcp?.tool ?? ''] : []));
    expect(await safe(servers)).toContain('lie');
    expect(await safe(sceptical)).toEqual([]);
    await call(sceptical, 'odd', 'lie', { text: 'd' });
    expect(logged(log).filter((line) => line === 'lie d')).toHaveLength(1);
  });

  test('cannot send 20 MB', async () => {
    await expect(call(servers, 'odd', 'big')).rejects.toMatchObject({ type: 'Mcp.TooLarge' });
    await expect(call(servers, 'odd', 'echo', { text: 'd' })).resolves.toBeDefined();
  });

  test('that changes a schema cannot be called with the old one', async () => {
    const { tools } = await servers.list('odd');
    const pinned = tools.find(({ mcp }) => mcp?.tool === 'changing')?.mcp;
    await call(servers, 'odd', 'change');
    const signal = new AbortController().signal;
    await expect(
      servers.call({
        ...{ server: 'odd', tool: 'changing', hash: '' },
        ...pinned,
        arguments: {},
        safeToRepeat: true,
        signal,
      }),
    ).rejects.toMatchObject({ type: 'Mcp.ToolChanged' });
    expect(logged(log).filter((line) => line.startsWith('changing'))).toEqual([]);
  });

  test('has its stderr in the log, without what looks like a secret', () => {
    const line = lines.find((each) => each.includes('the odd server has started'));
    expect(line).toContain('[secret removed]');
    expect(lines.join('\n')).not.toContain('abcdefghijklmnop');
  });
});

describe('a server that does not start properly', () => {
  test('is not available if it never answers', async () => {
    const servers = open({ odd: oddServer({ ODD_START: 'never' }) }, { startupMs: 2_000 });
    await expect(servers.list('odd')).rejects.toMatchObject({
      type: 'Mcp.Unavailable',
      message: expect.stringContaining('did not answer in time') as string,
    });
  });

  test('is not available if its command does not exist', async () => {
    const servers = open({ odd: { ...oddServer(), command: 'baton-no-such-command' } });
    await expect(servers.list('odd')).rejects.toMatchObject({
      type: 'Mcp.Unavailable',
      message: expect.stringContaining('its command was not found') as string,
    });
  });

  test('is tried less and less often', async () => {
    const servers = open({ odd: { ...oddServer(), command: 'false' } });
    const times: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      const before = Date.now();
      await expect(servers.list('odd')).rejects.toMatchObject({ type: 'Mcp.Unavailable' });
      times.push(Date.now() - before);
    }
    expect(times[3]).toBeGreaterThan(900);
  });

  test('is used although it writes garbage to stdout', async () => {
    const servers = open({ odd: oddServer({ ODD_START: 'garbage' }) });
    await expect(call(servers, 'odd', 'echo', { text: 'e' })).resolves.toMatchObject({
      content: [{ text: 'echo did e' }],
    });
    expect(lines.some((line) => line.includes('what is not a message'))).toBe(true);
  });

  test('is used for the tools that are sound, and the others are named', async () => {
    const servers = open({ odd: oddServer({ ODD_START: 'hostile' }) });
    const { tools, problems } = await servers.list('odd');
    expect(tools.map(({ mcp }) => mcp?.tool)).toEqual([
      'good',
      'hidden',
      'huge',
      'referring',
      'either',
      'contradictory',
      'wrong_hint',
    ]);
    expect(problems.filter(({ isSkipped }) => isSkipped)).toHaveLength(10);
  });

  test('names the servers that exist if it is not one of them', async () => {
    const servers = open({ odd: oddServer() });
    await expect(servers.list('od')).rejects.toMatchObject({
      type: 'Mcp.UnknownServer',
      message: 'The MCP server "od" does not exist. Did you mean "odd"? Servers of this worker: odd.',
    });
  });
});

describe('processes', () => {
  async function pidOf(servers: McpServers, server: string): Promise<number> {
    return servers.use(server, ({ pid }) => Promise.resolve(pid ?? 0));
  }

  test('end when they are idle', async () => {
    const servers = open({ odd: oddServer() }, { idleMs: 100 });
    const pid = await pidOf(servers, 'odd');
    expect(isRunning(pid)).toBe(true);
    await eventually('the idle server ends', () => !isRunning(pid));
    await expect(call(servers, 'odd', 'echo', { text: 'f' })).resolves.toBeDefined();
  });

  test('are limited in number: the one that is idle for longest makes room', async () => {
    const servers = open({ a: oddServer(), b: oddServer(), c: oddServer() }, { maxProcesses: 2 });
    const a = await pidOf(servers, 'a');
    const b = await pidOf(servers, 'b');
    await pidOf(servers, 'c');
    expect([isRunning(a), isRunning(b)]).toEqual([false, true]);
  });

  test('end when the worker stops, even if they ignore the end of their input and SIGTERM', async () => {
    const servers = open({ odd: oddServer({ ODD_START: 'stubborn' }) });
    const pid = await pidOf(servers, 'odd');
    await servers.close();
    await eventually('the stubborn server ends', () => !isRunning(pid));
    await expect(servers.list('odd')).rejects.toMatchObject({ type: 'Mcp.Unavailable' });
  });

  test('get no variables but those of their configuration, PATH and HOME', async () => {
    process.env['BATON_TEST_SECRET'] = 'must not be passed on';
    const servers = open({ everything: { ...registryServer('everything'), env: { GIVEN: 'yes' } } });
    const result = await call(servers, 'everything', 'get-env');
    delete process.env['BATON_TEST_SECRET'];
    const [{ text }] = (result as { readonly content: readonly [{ readonly text: string }] }).content;
    const { PWD: _set, ...passed } = JSON.parse(text) as Record<string, string>;
    expect(passed).toEqual({ PATH: process.env['PATH'], GIVEN: 'yes' });
  });
});
