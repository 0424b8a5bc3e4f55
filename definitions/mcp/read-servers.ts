import { join } from 'node:path';
import { z } from 'zod';
import { checkValue, firstIssue, parseStrictJson } from '../../domain/kernel';
import {
  expandVariables,
  type McpServerConfig,
  type McpServersConfig,
  type ParsedServer,
  parseServer,
  type Variables,
} from '../../domain/mcp';
import { readDefinitionFile } from '../read-text';

/** The file in a project folder that lists its MCP servers, as other programs read it too. */
const mcpFileName = '.mcp.json';

/** Returns where a worker in this folder finds its MCP servers, unless another file is configured. */
export function mcpFileIn(folder: string): string {
  return join(folder, mcpFileName);
}

/** The MCP servers in a file, and everything that is wrong with it. */
export interface ReadMcpServers {
  readonly file: string;
  /** Whether the file exists. */
  readonly exists: boolean;
  readonly servers: McpServersConfig;
  /** Names of entries that are switched off with `disabled`. */
  readonly disabled: readonly string[];
  /** Entries that are ignored; the name is empty if the whole file is. */
  readonly problems: readonly ServerProblem[];
}

/** An entry that is ignored, and why. */
interface ServerProblem {
  readonly server: string;
  readonly message: string;
}

const fileSchema = z.looseObject({ mcpServers: z.record(z.string(), z.unknown()) });

/** Reads a file of MCP servers. An entry that can't be used does not affect the others. */
export async function readMcpServers(file: string, variables: Variables): Promise<ReadMcpServers> {
  const read = await readDefinitionFile(file);
  const nothing = { file, servers: {}, disabled: [], problems: [] };
  if ('text' in read) return { ...nothing, exists: true, ...parseMcpFile(read.text, variables) };
  if (read.problem.includes('ENOENT')) return { ...nothing, exists: false };
  return { ...nothing, exists: true, problems: [{ server: '', message: read.problem }] };
}

type ParsedFile = Pick<ReadMcpServers, 'servers' | 'disabled' | 'problems'>;

/** Parses the text of such a file. */
export function parseMcpFile(text: string, variables: Variables): ParsedFile {
  let value: unknown;
  try {
    value = parseStrictJson(text);
  } catch (error) {
    return unusable(`is not valid JSON: ${(error as Error).message}`);
  }
  const parsed = checkValue(fileSchema, value);
  if (!parsed.success) {
    const { field, reason } = firstIssue(parsed.error, 'the top level');
    return unusable(`${field}: ${reason}`);
  }
  const servers: [string, McpServerConfig][] = [];
  const disabled: string[] = [];
  const problems: ServerProblem[] = [];
  for (const [name, entry] of Object.entries(parsed.data.mcpServers)) {
    const read = readEntry(name, entry, variables);
    if ('server' in read) servers.push([name, read.server]);
    else if ('disabled' in read) disabled.push(name);
    else problems.push({ server: name, message: read.problem });
  }
  return { servers: Object.fromEntries(servers), disabled, problems };
}

function readEntry(name: string, entry: unknown, variables: Variables): ParsedServer {
  // An entry that is switched off need not have values for its variables.
  const given = parseServer(name, entry);
  if ('disabled' in given) return given;
  const expanded = expandVariables(entry, variables);
  return 'missing' in expanded ? { problem: unset(expanded.missing) } : parseServer(name, expanded.value);
}

function unset(names: readonly string[]): string {
  const [first = ''] = names;
  const many = names.length > 1 ? `the variables ${names.join(', ')} are` : `the variable ${first} is`;
  return `${many} not set; set it, or write a default: \${${first}:-value}`;
}

function unusable(message: string): ParsedFile {
  return { servers: {}, disabled: [], problems: [{ server: '', message }] };
}
