import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePorts } from '../../../scripts/cluster/services/service';
import { McpServers } from '../../../activities/mcp/servers';
import { registryServer } from '../../support/mcp/servers';

const opened: McpServers[] = [];

function open(url: string, headers: Record<string, string> = {}): McpServers {
  const servers = new McpServers(
    { remote: { type: 'http', url, headers } },
    { baseEnvironment: {}, folder: '.', log: () => undefined, limits: { startupMs: 20_000 } },
  );
  opened.push(servers);
  return servers;
}

afterAll(() => Promise.all(opened.map((servers) => servers.close())));

async function call(servers: McpServers, tool: string, args: Record<string, unknown>): Promise<unknown> {
  const { tools } = await servers.list('remote');
  const mcp = tools.find((each) => each.mcp?.tool === tool)?.mcp;
  if (mcp === undefined) throw new Error(`no tool ${tool}`);
  return servers.call({ ...mcp, arguments: args, safeToRepeat: false, signal: new AbortController().signal });
}

async function startEverything(port: number): Promise<ChildProcess> {
  const { command, args } = registryServer('everything', 'streamableHttp');
  const child = spawn(command, [...args], {
    env: { PATH: process.env['PATH'], PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  for await (const chunk of child.stderr) if (String(chunk).includes('listening')) break;
  return child;
}

describe('a server of the registry over streamable HTTP', () => {
  let port: number;
  let child: ChildProcess;
  let servers: McpServers;
  beforeAll(async () => {
    [port = 0] = await freePorts(1);
    child = await startEverything(port);
    servers = open(`http://127.0.0.1:${port}/mcp`);
  });
  afterAll(() => {
    child.kill('SIGKILL');
  });

  test('is listed and called', async () => {
    expect((await servers.list('remote')).tools.length).toBeGreaterThan(5);
    await expect(call(servers, 'echo', { message: 'over HTTP' })).resolves.toMatchObject({
      content: [{ type: 'text', text: 'Echo: over HTTP' }],
    });
  });

  test('that was restarted is used with a new session', async () => {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    child = await startEverything(port);
    await expect(call(servers, 'echo', { message: 'again' })).resolves.toMatchObject({
      content: [{ text: 'Echo: again' }],
    });
  });

  test('that is gone is not available', async () => {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    await expect(open(`http://127.0.0.1:${port}/mcp`).list('remote')).rejects.toMatchObject({
      type: 'Mcp.Unavailable',
    });
  });
});

describe('a server over HTTP that misbehaves', () => {
  let http: HttpServer;
  let url: string;
  const seen: (string | undefined)[] = [];
  beforeAll(async () => {
    const handler = createMcpHandler(() => {
      const big = new McpServer({ name: 'big', version: '1' }, { capabilities: { tools: {} } });
      const { server } = big;
      server.setRequestHandler('tools/list', () => ({ tools: [{ name: 'big', inputSchema: { type: 'object' } }] }));
      server.setRequestHandler('tools/call', () => ({ content: [{ type: 'text', text: 'x'.repeat(20_000_000) }] }));
      return big;
    });
    http = createServer((request, response) => {
      void (async () => {
        seen.push(request.headers['x-key'] as string | undefined);
        if (request.url === '/locked') {
          response.writeHead(401).end();
          return;
        }
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        const { method = 'GET' } = request;
        const headers = Object.entries(request.headers).map(
          ([name, value]) => [name, String(value)] as [string, string],
        );
        const answer = await handler.fetch(
          new Request(`http://127.0.0.1${request.url ?? ''}`, {
            method,
            headers,
            ...(method === 'POST' ? { body: Buffer.concat(chunks) } : {}),
          }),
        );
        response.writeHead(answer.status, Object.fromEntries(answer.headers));
        if (answer.body !== null) for await (const chunk of answer.body) response.write(chunk);
        response.end();
      })().catch(() => response.destroy());
    }).listen(0, '127.0.0.1');
    await once(http, 'listening');
    url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    http.closeAllConnections();
    http.close();
  });

  test('cannot send 20 MB', async () => {
    await expect(call(open(`${url}/mcp`), 'big', {})).rejects.toMatchObject({ type: 'Mcp.TooLarge' });
  });

  test('gets the configured headers', async () => {
    await open(`${url}/mcp`, { 'X-Key': 'secret-key' }).list('remote');
    expect(seen).toContain('secret-key');
  });

  test('that denies access says so', async () => {
    await expect(open(`${url}/locked`).list('remote')).rejects.toMatchObject({
      type: 'Mcp.Unavailable',
      message: expect.stringContaining('denied access (HTTP 401)') as string,
    });
  });
});
