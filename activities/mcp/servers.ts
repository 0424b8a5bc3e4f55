import type { CallToolResult } from '@modelcontextprotocol/client';
import {
  type DescribedTools,
  describeTools,
  McpError,
  type McpServersConfig,
  toolHash,
  unknownServer,
} from '../../domain/mcp';
import { listTimeoutMs, type McpConnection } from './connection';
import { ConnectionEndedError, explainError, isSessionLost, type Phase } from './explain-error';
import { ServerSlot, type SlotOptions } from './server-slot';
import { Places } from './places';
import { withinTime } from '../within-time';

/** Limits of a worker's MCP servers. */
export interface McpLimits {
  /** Maximum servers that run as processes of the worker at the same time. Default: 16. */
  readonly maxProcesses?: number;
  /** Milliseconds after which a server that is not used is stopped. Default: five minutes. */
  readonly idleMs?: number;
  /** Maximum milliseconds until a server is ready. Default: 30 seconds. */
  readonly startupMs?: number;
  /** Maximum bytes of one message of a server. Default: 10 MiB. */
  readonly maxMessageBytes?: number;
  /** Maximum milliseconds of a call to a server without its own `timeout`. Default: four minutes. */
  readonly callMs?: number;
}

/** What the servers of a worker need. */
export interface McpServersOptions extends Pick<SlotOptions, 'baseEnvironment' | 'folder' | 'log'> {
  readonly limits?: McpLimits | undefined;
}

/** One call of a tool. */
export interface McpCall {
  readonly server: string;
  /** Name of the tool on the server. */
  readonly tool: string;
  /** Hash of the tool when it was pinned. The call is not made if the server lists another one. */
  readonly hash: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Whether the call is repeated if the server dies in the middle of it. */
  readonly safeToRepeat: boolean;
  /** Stable key of the call, which the server gets as metadata. */
  readonly key?: string | undefined;
  readonly signal: AbortSignal;
}

const mebibyte = 1024 * 1024;
const defaults: Required<McpLimits> = {
  maxProcesses: 16,
  idleMs: 5 * 60_000,
  startupMs: 30_000,
  maxMessageBytes: 10 * mebibyte,
  callMs: 4 * 60_000,
};

/** How long a server that did not finish a call has to answer something else, in milliseconds. */
const stuckMs = 5_000;

/** Name of the metadata that contains the key of a call. */
const keyName = 'baton/idempotencyKey';

/**
 * The MCP servers of a worker. A server is started or reached when it is first used, shared by all runs of the worker,
 * started again when it has died, and stopped when it is idle or the worker ends.
 */
export class McpServers {
  private readonly slots: ReadonlyMap<string, ServerSlot>;
  private readonly limits: Required<McpLimits>;

  constructor(
    private readonly configs: McpServersConfig,
    options: McpServersOptions,
  ) {
    this.limits = { ...defaults, ...options.limits };
    const places = new Places(this.limits.maxProcesses);
    this.slots = new Map(
      Object.entries(configs).map(([name, config]) => [
        name,
        new ServerSlot(name, config, { ...options, ...this.limits, places }),
      ]),
    );
  }

  /** Names of the servers, in the order of the configuration. */
  get names(): readonly string[] {
    return [...this.slots.keys()];
  }

  has(server: string): boolean {
    return this.slots.has(server);
  }

  /**
   * Does something with a connection to a server, which is opened if necessary and stays open meanwhile. Throws an
   * `McpError` if the server is not configured or not available.
   */
  use<T>(server: string, work: (connection: McpConnection) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const slot = this.slots.get(server);
    if (slot === undefined) return Promise.reject(unknownServer(server, this.names));
    return slot.use(work, signal);
  }

  /** Lists the tools of a server that agents can use, and what is wrong with others. */
  async list(server: string, signal?: AbortSignal): Promise<DescribedTools> {
    // Opening an agent, which waits for this, must not take longer than its activity may.
    const listing = withinTime(signal, this.limits.startupMs + listTimeoutMs, (stop) =>
      this.request(server, 'start', (connection) => connection.listTools(), stop),
    );
    const listed = await listing.catch((error: unknown) => {
      signal?.throwIfAborted();
      throw explainError(server, error, 'start');
    });
    return describeTools(server, listed, { trustHints: this.configs[server]?.trustHints });
  }

  /**
   * Calls a tool as it was pinned. Throws an `McpError` if the call could not be made or not be finished; a failure of
   * the tool itself is a result.
   */
  async call(call: McpCall): Promise<CallToolResult> {
    const deadline = Date.now() + this.timeoutOf(call.server);
    const progress = { isSent: false };
    try {
      return await this.callOnce(call, deadline, progress);
    } catch (error) {
      call.signal.throwIfAborted();
      if (!mayRepeat(error, call, progress.isSent)) throw error;
    }
    return this.callOnce(call, deadline, progress);
  }

  /** Stops all servers. Nothing is started afterwards. */
  async close(): Promise<void> {
    await Promise.all([...this.slots.values()].map((slot) => slot.close()));
  }

  private timeoutOf(server: string): number {
    return this.configs[server]?.timeout ?? this.limits.callMs;
  }

  private async callOnce(call: McpCall, deadline: number, progress: { isSent: boolean }): Promise<CallToolResult> {
    const { server, tool, key, signal } = call;
    const meta = key === undefined ? {} : { _meta: { [keyName]: key } };
    try {
      return await this.request(
        server,
        'call',
        async (connection) => {
          const toolDefinition = await pinnedDefinition(connection, call);
          signal.throwIfAborted();
          progress.isSent = true;
          const timeout = Math.max(1, deadline - Date.now());
          const params = { name: tool, arguments: { ...call.arguments }, ...meta };
          return connection.client.callTool(params, { signal, timeout, toolDefinition });
        },
        signal,
      );
    } catch (error) {
      if (error instanceof McpError && error.type === 'Mcp.Timeout') void this.stopIfStuck(server);
      throw error;
    }
  }

  /**
   * Sends requests over a connection, and over another one if the server has forgotten the session. Whatever fails is
   * explained.
   */
  private async request<T>(
    server: string,
    phase: Phase,
    work: (connection: McpConnection) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const attempt = (): Promise<T> =>
      this.use(
        server,
        async (connection) => {
          try {
            return await work(connection);
          } catch (error) {
            signal?.throwIfAborted();
            if (!isSessionLost(error)) throw explainError(server, endedOr(error, connection), phase);
            await connection.close();
            throw error;
          }
        },
        signal,
      );
    try {
      return await attempt();
    } catch (error) {
      if (!isSessionLost(error)) throw error;
    }
    return attempt().catch((error: unknown) => {
      signal?.throwIfAborted();
      throw explainError(server, error, phase);
    });
  }

  /** Closes the connection to a server that no longer answers anything. The next call starts it again. */
  private stopIfStuck(server: string): Promise<void> {
    return this.use(server, async (connection) => {
      if (!(await connection.answers(stuckMs))) await connection.close();
    }).catch(() => undefined);
  }
}

/** A call that has not reached the server is repeated, and so is one that is safe to repeat. */
function mayRepeat(error: unknown, { safeToRepeat }: McpCall, isSent: boolean): boolean {
  return error instanceof McpError && error.type === 'Mcp.Interrupted' && (safeToRepeat || !isSent);
}

type Definition = NonNullable<NonNullable<Parameters<McpConnection['client']['callTool']>[1]>['toolDefinition']>;

/** Returns the tool as the server lists it now. Throws if it is not the one that was pinned. */
async function pinnedDefinition(connection: McpConnection, { server, tool, hash }: McpCall): Promise<Definition> {
  const listed = await connection.listTools();
  const found = listed.find((each) => isNamed(each, tool));
  const named = `The tool "${tool}" of the MCP server "${server}"`;
  if (found === undefined)
    throw new McpError('Mcp.ToolChanged', server, `${named} no longer exists. The call was not made.`);
  if (toolHash(found) !== hash) {
    const message = `${named} has changed since this run started: its input schema or its hints are different. The call was not made.`;
    throw new McpError('Mcp.ToolChanged', server, message);
  }
  // Without the output schema: the model reads a result that does not match it, which is better than losing it.
  const { outputSchema: _, ...definition } = found;
  return definition as unknown as Definition;
}

function isNamed(listed: unknown, tool: string): listed is Parameters<typeof toolHash>[0] {
  return typeof listed === 'object' && listed !== null && 'name' in listed && listed.name === tool;
}

/** The end of the connection says more than the error of the request that it interrupted. */
function endedOr(error: unknown, { end }: McpConnection): unknown {
  return end === undefined || end.kind === 'closed' || error instanceof McpError
    ? error
    : new ConnectionEndedError(end, error);
}
