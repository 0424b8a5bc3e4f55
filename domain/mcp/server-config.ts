import { z } from 'zod';
import { checkValue, firstIssue } from '../kernel';

/** Name of a server, by which runs, prompts and skills refer to it. */
export const serverNameSchema = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/,
    'must be letters, digits, `_`, `.` and `-`, at most 64, starting with a letter or digit',
  );

const text = z.string().refine((value) => !value.includes('\0'), 'must not contain a zero byte');

/** Settings that servers of both kinds have. */
const commonFields = {
  /** Maximum milliseconds of one call. Default: four minutes. */
  timeout: z.int().min(100).max(260_000).optional(),
  /** Whether `readOnlyHint` and `idempotentHint` make a tool safe to repeat. Default: true. */
  trustHints: z.boolean().optional(),
};

/** A server that runs as a process of the worker and is spoken to over stdin and stdout. */
const stdioServerSchema = z.object({
  type: z.literal('stdio'),
  command: text.min(1),
  args: z.array(text).readonly(),
  /** Environment of the process. Nothing else is passed except PATH and HOME. */
  env: z.record(z.string().min(1), text),
  /** Working directory. Default: the worker's. */
  cwd: text.min(1).optional(),
  ...commonFields,
});

/** A server that is reached over streamable HTTP. */
const httpServerSchema = z.object({
  type: z.literal('http'),
  url: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .refine(
      (value) => !URL.canParse(value) || new URL(value).password === '',
      'must not contain a password; use headers',
    ),
  headers: z.record(z.string().min(1), text),
  ...commonFields,
});

/** How to reach an MCP server. Variables are already replaced by their values. */
const mcpServerSchema = z.discriminatedUnion('type', [stdioServerSchema, httpServerSchema]);
export type McpServerConfig = Readonly<z.infer<typeof mcpServerSchema>>;
export type StdioServerConfig = Readonly<z.infer<typeof stdioServerSchema>>;
export type HttpServerConfig = Readonly<z.infer<typeof httpServerSchema>>;

/** MCP servers by name. */
export type McpServersConfig = Readonly<Record<string, McpServerConfig>>;

/** An MCP server as `.mcp.json` and the worker option `mcpServers` describe it. */
export interface McpServerEntry {
  /** `stdio` if there is a command, `http` if there is a URL. */
  readonly type?: string | undefined;
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  readonly url?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Maximum milliseconds of one call. Default: four minutes. */
  readonly timeout?: number | undefined;
  /** Whether `readOnlyHint` and `idempotentHint` make a tool safe to repeat. Default: true. */
  readonly trustHints?: boolean | undefined;
  /** Ignores the entry. Default: false. */
  readonly disabled?: boolean | undefined;
}

/** A server that can be used, one that is switched off, or the reason why an entry is ignored. */
export type ParsedServer =
  { readonly server: McpServerConfig } | { readonly disabled: true } | { readonly problem: string };

const httpTypes: readonly unknown[] = ['http', 'streamable-http', 'streamableHttp', 'streamable_http'];

const entrySchema = z.looseObject({});

/** Checks one entry, whose variables are already replaced. Unknown fields are ignored: other programs have their own. */
export function parseServer(name: string, value: unknown): ParsedServer {
  const named = checkValue(serverNameSchema, name);
  if (!named.success) return { problem: `its name ${firstIssue(named.error).reason}` };
  const read = checkValue(entrySchema, value);
  if (!read.success) return { problem: 'must be an object' };
  const { type: declared, disabled, args = [], env = {}, headers = {}, ...entry } = read.data;
  if (disabled === true) return { disabled: true };
  const type = kindOf(declared, entry);
  if (typeof type !== 'string') return type;
  const parsed = checkValue(mcpServerSchema, { ...entry, type, ...(type === 'stdio' ? { args, env } : { headers }) });
  if (parsed.success) return { server: parsed.data };
  const { field, reason } = firstIssue(parsed.error, 'the entry');
  return { problem: `${field}: ${reason}` };
}

function kindOf(declared: unknown, entry: Readonly<Record<string, unknown>>): 'stdio' | 'http' | { problem: string } {
  if (declared === 'sse') return { problem: 'type: "sse" is not supported; use the address of its streamable HTTP' };
  if (declared !== undefined && declared !== 'stdio' && !httpTypes.includes(declared))
    return { problem: 'type: must be stdio or http' };
  const hasCommand = entry['command'] !== undefined;
  const hasUrl = entry['url'] !== undefined;
  if (hasCommand && hasUrl) return { problem: 'has a command and a url; use one of them' };
  if (declared !== undefined) return declared === 'stdio' ? 'stdio' : 'http';
  if (!hasCommand && !hasUrl) return { problem: 'needs a command or a url' };
  return hasCommand ? 'stdio' : 'http';
}

/** Returns the values of a server's environment and headers, which may be secrets. */
export function secretsOfServer(server: McpServerConfig): readonly string[] {
  return Object.values(server.type === 'stdio' ? server.env : server.headers);
}
