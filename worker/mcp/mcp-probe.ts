import type { ServerInfo } from '../../activities/mcp/connection';
import type { McpServers } from '../../activities/mcp/servers';
import { readMcpServers } from '../../definitions/mcp/read-servers';
import { mapWithLimit, redactSecrets } from '../../domain/kernel';
import {
  cleanServerText,
  descriptionTokens,
  McpError,
  type McpServersConfig,
  type ProbedServer,
} from '../../domain/mcp';
import { openMcpServers } from './mcp-servers';

/** Servers that are started at the same time. */
const maxConcurrent = 4;
const maxInfoLength = 100;

/**
 * Connects to MCP servers as a worker does, and sends the parent process what they offer. Arguments: the configuration
 * file, and the names of the servers.
 */
async function main([file = '', ...names]: readonly string[]): Promise<void> {
  const { servers } = await readMcpServers(file, process.env);
  const wanted = Object.fromEntries(Object.entries(servers).filter(([name]) => names.includes(name)));
  const pool = openMcpServers({ mcpServers: wanted }, () => undefined);
  try {
    const report = await mapWithLimit(Object.keys(wanted), maxConcurrent, (name) => probe(pool, wanted, name));
    await new Promise((resolve) => process.send?.(report, resolve));
  } finally {
    await pool.close();
  }
}

async function probe(pool: McpServers, configs: McpServersConfig, server: string): Promise<ProbedServer> {
  const type = configs[server]?.type ?? 'stdio';
  const began = Date.now();
  const nothing = { server, type, info: {}, tools: [], problems: [], failure: null };
  try {
    const { tools, problems } = await pool.list(server);
    const milliseconds = Date.now() - began;
    const info = await pool.use(server, (connection) => Promise.resolve(connection.info));
    return { ...nothing, milliseconds, info: shown(info), tools: tools.map(describe), problems: [...problems] };
  } catch (error) {
    const failure =
      error instanceof McpError
        ? { type: error.type, message: redactSecrets(error.message) }
        : { type: 'Mcp.Unavailable', message: redactSecrets(String(error)) };
    return { ...nothing, milliseconds: Date.now() - began, failure };
  }
}

type Described = Awaited<ReturnType<McpServers['list']>>['tools'][number];

function describe(tool: Described): ProbedServer['tools'][number] {
  const { name, id, description, inputSchema, safeToRepeat, mcp } = tool;
  return { tool: mcp?.tool ?? name, name, id, description, inputSchema, safeToRepeat, tokens: descriptionTokens(tool) };
}

function shown(info: ServerInfo): ProbedServer['info'] {
  const known = Object.entries(info).flatMap(([key, value]: [string, string | undefined]) =>
    value === undefined ? [] : [[key, cleanServerText(value, maxInfoLength)] as const],
  );
  return Object.fromEntries(known);
}

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(redactSecrets(error instanceof Error ? error.message : String(error)));
    process.exit(1);
  },
);
