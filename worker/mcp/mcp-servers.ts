import { Runtime } from '@temporalio/worker';
import type { McpLog } from '../../activities/mcp/server-output';
import { type McpLimits, McpServers } from '../../activities/mcp/servers';
import { mcpFileIn, readMcpServers } from '../../definitions/mcp/read-servers';
import { InvalidInputError, visibleText } from '../../domain/kernel';
import { type McpServerConfig, type McpServerEntry, type McpServersConfig, parseServer } from '../../domain/mcp';

type Entries = Readonly<Record<string, McpServerEntry>>;

/** Variables that every MCP server gets: without them hardly any program can be found or started. */
const passedVariables = ['PATH', 'HOME'] as const;

/** Creates the pool of a worker's MCP servers. Nothing is started yet. Throws if an entry is not correct. */
export function openMcpServers(
  { mcpServers = {}, mcpLimits }: { readonly mcpServers?: Entries; readonly mcpLimits?: McpLimits },
  log: McpLog = workerLog,
  folder: string = process.cwd(),
): McpServers {
  const baseEnvironment = Object.fromEntries(
    passedVariables.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  return new McpServers(checked(mcpServers), { baseEnvironment, folder, log, limits: mcpLimits });
}

/** Writes to the log of the worker's process. */
const workerLog: McpLog = (level, message, facts) => {
  Runtime.instance().logger[level](message, facts);
};

function checked(entries: Entries): McpServersConfig {
  const servers: [string, McpServerConfig][] = [];
  for (const [name, entry] of Object.entries(entries)) {
    const read = parseServer(name, entry);
    if ('problem' in read) {
      const remedy = 'Pass { command, args, env } or { type: "http", url, headers }.';
      throw new InvalidInputError(`mcpServers.${name}`, read.problem, remedy);
    }
    if ('server' in read) servers.push([name, read.server]);
  }
  return Object.fromEntries(servers);
}

/** Returns the values of all environments and headers, which may be secrets. */
export function secretsOfEntries(entries: Entries): readonly string[] {
  return Object.values(entries).flatMap(({ env = {}, headers = {} }) => [
    ...Object.values(env),
    ...Object.values(headers),
  ]);
}

/**
 * Reads the MCP servers of a project from its file `.mcp.json`, or from another file. `${NAME}` and `${NAME:-default}` are
 * replaced from the environment. An entry that can't be used is passed to `log` and ignored.
 *
 * @throws InvalidInputError if `file` is given and does not exist.
 *
 * @example
 * ```ts
 * import { projectMcpServers, readSettings, runWorker } from 'baton-agents/worker';
 *
 * async function main(): Promise<void> {
 *   const settings = readSettings();
 *   const mcpServers = await projectMcpServers(process.cwd(), console.error, settings.mcpConfig);
 *   const apiKey = process.env['ANTHROPIC_API_KEY'];
 *   await runWorker({ settings, apiKey, extensions: { mcpServers }, log: console.error });
 * }
 *
 * void main();
 * ```
 */
export async function projectMcpServers(
  folder: string,
  log: (line: string) => void,
  file?: string,
): Promise<Readonly<Record<string, McpServerEntry>>> {
  const { exists, servers, problems, file: path } = await readMcpServers(file ?? mcpFileIn(folder), process.env);
  if (!exists && file !== undefined) {
    const remedy = 'Correct BATON_MCP_CONFIG or --mcp-config, or omit it to use .mcp.json.';
    throw new InvalidInputError('MCP configuration', `the file "${file}" does not exist`, remedy);
  }
  for (const { server, message } of problems) {
    const what = server === '' ? 'MCP servers ignored' : `MCP server "${server}" ignored`;
    log(visibleText(`warning: ${what}: ${path}: ${message}`));
  }
  return servers;
}
