import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { say, scriptByTurn, useTool } from '../../../testing/scripted-model';
import { eventually, isRunning, oddServer, registryServer } from '../../support/mcp/servers';
import { Stand } from '../support/stand';

describe('MCP servers on the command line', () => {
  let stand: Stand;
  let config: string;
  let log: string;
  beforeAll(async () => {
    stand = await Stand.start(scriptByTurn(useTool('mcp__odd__echo', { text: 'hello' }), say('done')), {
      withWorker: false,
    });
    config = join(stand.folder, 'servers.json');
    log = join(stand.folder, 'odd.log');
    const mcpServers = {
      odd: oddServer({ ODD_LOG: log }),
      everything: registryServer('everything'),
      hostile: oddServer({ ODD_START: 'hostile' }),
      gone: { command: 'baton-no-such-command' },
      unset: { command: 'x', env: { TOKEN: '${BATON_TEST_NOT_SET}' } },
    };
    await writeFile(config, JSON.stringify({ mcpServers }));
  });
  afterAll(() => stand.close());

  const mcp = (...args: string[]): ReturnType<Stand['baton']> =>
    stand.batonWith({ BATON_MCP_CONFIG: config }, 'mcp', ...args);

  test('are listed with tools and what they cost, and checked with an exit code', async () => {
    const { stdout, stderr, exitCode } = await mcp('check');
    expect(stdout).toMatch(
      /^✓ odd: 13 tools, about [\d,]+ tokens per request, ready in \d+ ms \(odd 1\.0\.0, stdio, protocol 2026-07-28\)$/m,
    );
    expect(stdout).toMatch(/^! hostile: 7 tools/m);
    expect(stdout).toMatch(/^ {4}skipped: "recursive": its input schema is recursive$/m);
    expect(stdout).toMatch(/^✗ gone: Mcp\.Unavailable: .*its command was not found/m);
    expect(stderr).toContain('"unset" is ignored: the variable BATON_TEST_NOT_SET is not set');
    expect(stderr).toContain('3 MCP servers with problems.');
    expect(exitCode).toBe(1);
  });

  test('are shown with schemas, as text and as JSON', async () => {
    const text = await mcp('list', 'everything');
    expect(text.stdout).toContain('called as mcp__everything__get-sum, pinned as mcp/everything/get-sum#');
    expect(text.exitCode).toBe(0);
    const json = JSON.parse((await mcp('list', 'everything', '--json')).stdout) as { servers: { tools: object[] }[] };
    expect(json.servers[0]?.tools[0]).toMatchObject({
      tool: 'echo',
      name: 'mcp__everything__echo',
      safeToRepeat: true,
      inputSchema: { type: 'object' },
    });
  });

  test('are named if one does not exist, and a file that does not exist is an error', async () => {
    expect(await mcp('check', 'od')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Did you mean "odd"?') as string,
    });
    expect(await mcp('check', '--mcp-config', 'nowhere.json')).toMatchObject({ exitCode: 2 });
    const worker = await stand.baton('worker', '--mcp-config', 'nowhere.json');
    expect(worker).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('nowhere.json does not exist') as string,
    });
  });

  test('are mentioned by doctor', async () => {
    const { stdout } = await stand.batonWith({ BATON_MCP_CONFIG: config }, 'doctor', '--json');
    const findings = JSON.parse(stdout) as { name: string; state: string; detail: string }[];
    expect(findings.find(({ name }) => name === 'MCP servers')).toMatchObject({
      state: 'warn',
      detail: expect.stringContaining('odd (stdio), everything (stdio)') as string,
    });
  });

  test('are used by a run that names them, and end with the worker', async () => {
    const worker = await stand.startWorker({ BATON_MCP_CONFIG: config });
    await worker.said('MCP server "unset" ignored');
    const run = await stand.baton(
      'run',
      'Call it.',
      '--mcp',
      'odd:echo,book',
      '--mcp',
      'everything',
      '--follow',
      '--no-hold',
    );
    expect(run).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('done') as string });
    const wrong = await stand.baton('run', 'Call it.', '--mcp', 'od', '--follow', '--no-hold');
    expect(wrong.exitCode).toBe(1);
    expect(wrong.stderr).toContain('The MCP server "od" does not exist. Did you mean "odd"?');
    expect(await stand.baton('run', 'Call it.', '--mcp', 'a b')).toMatchObject({ exitCode: 2 });
    const pids = [...readFileSync(log, 'utf8').matchAll(/^started (\d+)$/gm)].map(([, pid]) => Number(pid));
    expect(existsSync(log) && pids.length > 0).toBe(true);
    await stand.stopWorker();
    await eventually('all servers end with the worker', () => pids.every((pid) => !isRunning(pid)));
  });
});
