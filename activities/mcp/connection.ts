import { Client, type Transport } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { McpError, type McpServerConfig } from '../../domain/mcp';
import { ConnectionEndedError, explainError, isClosedDuringProbe } from './explain-error';
import { httpTransport } from './http-transport';
import { keepListedTools, listedToolsKey } from './listed-tools';
import { StdioTransport, type TransportEnd } from './stdio-transport';
import { withinTime } from '../within-time';

/** What opening a connection needs apart from the server's configuration. */
export interface ConnectionOptions {
  readonly baseEnvironment: Readonly<Record<string, string>>;
  /** Working directory of servers that don't have their own. */
  readonly folder: string;
  /** Maximum bytes of one message. */
  readonly maxMessageBytes: number;
  /** Maximum milliseconds until a server is ready. */
  readonly startupMs: number;
  /** Receives what a server writes to stderr, and what it writes to stdout although it is not a message. */
  onOutput(line: string, stream: 'stdout' | 'stderr'): void;
}

/** Identity of a server, as it introduced itself. Nothing in it is trusted. */
export interface ServerInfo {
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly protocol: string | undefined;
}

/** How long a server has to answer the question for its version, before it is taken for an older one. */
const probeMs = 5_000;

const toolsPageSchema = z.looseObject({
  nextCursor: z.string().optional(),
  _meta: z.looseObject({ [listedToolsKey]: z.array(z.unknown()).optional() }).optional(),
});
const maxPages = 64;
/** Maximum milliseconds until a server has answered a request for its tools. */
export const listTimeoutMs = 15_000;

/** A connection to a server that is ready. */
export class McpConnection {
  private listing: Promise<readonly unknown[]> | undefined;

  private constructor(
    readonly server: string,
    readonly client: Client,
    private readonly transport: Transport,
    private readonly state: ConnectionState,
  ) {}

  /** Starts or reaches a server. Throws an `McpError` if it is not ready in time. */
  static async open(
    server: string,
    config: McpServerConfig,
    options: ConnectionOptions,
    signal?: AbortSignal,
  ): Promise<McpConnection> {
    const deadline = Date.now() + options.startupMs;
    const open = (isLegacy: boolean): Promise<McpConnection> =>
      this.attempt(server, config, { ...options, startupMs: Math.max(1, deadline - Date.now()) }, isLegacy, signal);
    try {
      return await open(false);
    } catch (error) {
      // Servers built with some older libraries exit when they receive a request that they don't know.
      if (config.type !== 'stdio' || !isClosedDuringProbe(error)) throw explainError(server, error, 'start');
    }
    return open(true).catch((error: unknown) => {
      throw explainError(server, error, 'start');
    });
  }

  private static async attempt(
    server: string,
    config: McpServerConfig,
    options: ConnectionOptions,
    isLegacy: boolean,
    signal: AbortSignal | undefined,
  ): Promise<McpConnection> {
    const state: ConnectionState = { isTooLarge: false };
    const client = new Client(
      { name: 'baton', version: '1' },
      { versionNegotiation: { mode: 'auto', probe: { timeoutMs: Math.min(probeMs, options.startupMs / 2) } } },
    );
    const transport = transportFor(config, options, () => {
      state.isTooLarge = true;
      void client.close();
    });
    const prior = isLegacy ? { prior: { kind: 'legacy' } as const } : {};
    try {
      await withinTime(signal, options.startupMs, (stop) =>
        client.connect(transport, { timeout: options.startupMs, signal: stop, ...prior }),
      );
      return new McpConnection(server, client, transport, state);
    } catch (error) {
      const end = endOf(transport);
      await transport.close();
      signal?.throwIfAborted();
      throw withEnd(error, end);
    }
  }

  /** Whether the connection can still be used. */
  get isOpen(): boolean {
    return this.client.transport !== undefined;
  }

  /** Why the connection ended; undefined while it is open, and for a server that is reached over HTTP. */
  get end(): TransportEnd | undefined {
    return this.state.isTooLarge ? { kind: 'tooLarge' } : endOf(this.transport);
  }

  get info(): ServerInfo {
    const version = this.client.getServerVersion();
    return { name: version?.name, version: version?.version, protocol: this.client.getNegotiatedProtocolVersion() };
  }

  /** Process id of a server that the worker started; null for others. */
  get pid(): number | null {
    return this.transport instanceof StdioTransport ? this.transport.pid : null;
  }

  /** Lists the tools as they are now, not validated. Calls that begin together share a list. */
  listTools(): Promise<readonly unknown[]> {
    // Only one that is on its way: an older one would not show that a server has changed a tool.
    this.listing ??= this.walkPages().finally(() => {
      this.listing = undefined;
    });
    return this.listing;
  }

  private async walkPages(): Promise<readonly unknown[]> {
    if (this.client.getServerCapabilities()?.tools === undefined) return [];
    const tools: unknown[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < maxPages; page += 1) {
      const params = cursor === undefined ? {} : { cursor };
      const request = { method: 'tools/list', params };
      const answer = await this.client.request(request, toolsPageSchema, { timeout: listTimeoutMs });
      tools.push(...(answer._meta?.[listedToolsKey] ?? []));
      if (answer.nextCursor === undefined || answer.nextCursor === cursor) return tools;
      cursor = answer.nextCursor;
    }
    throw new McpError('Mcp.InvalidResponse', this.server, `The MCP server "${this.server}" lists tools without end.`);
  }

  /** Whether the server still answers. */
  async answers(withinMs: number): Promise<boolean> {
    const request = { method: 'tools/list', params: {} };
    return this.client.request(request, toolsPageSchema, { timeout: withinMs }).then(
      () => true,
      () => false,
    );
  }

  async close(): Promise<void> {
    await this.client.close().catch(() => undefined);
    await this.transport.close().catch(() => undefined);
  }
}

interface ConnectionState {
  isTooLarge: boolean;
}

function transportFor(config: McpServerConfig, options: ConnectionOptions, onTooLarge: () => void): Transport {
  return keepListedTools(
    config.type === 'stdio'
      ? new StdioTransport(config, options)
      : httpTransport(config, options.maxMessageBytes, onTooLarge),
  );
}

function endOf(transport: Transport): TransportEnd | undefined {
  return transport instanceof StdioTransport ? transport.end : undefined;
}

/** Adds to an error why the connection ended, which says more than that it did. */
function withEnd(error: unknown, end: TransportEnd | undefined): unknown {
  return end === undefined || end.kind === 'closed' ? error : new ConnectionEndedError(end, error);
}
