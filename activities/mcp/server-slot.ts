import { createRedactor, type Redact } from '../../domain/kernel';
import { McpError, type McpServerConfig, secretsOfServer } from '../../domain/mcp';
import { type ConnectionOptions, McpConnection } from './connection';
import type { Occupant, Places } from './places';
import { type McpLog, ServerOutput } from './server-output';

/** What a slot needs apart from the server's configuration. */
export interface SlotOptions extends Omit<ConnectionOptions, 'onOutput'> {
  readonly idleMs: number;
  readonly places: Places;
  readonly log: McpLog;
}

/** Longest delay that a call waits for; after longer ones the server counts as not available. */
const maxWaitMs = 10_000;
const maxDelayMs = 60_000;
const firstDelayMs = 500;

/** The connection to one server: opened when it is used, shared, replaced after it was lost, closed when idle. */
export class ServerSlot implements Occupant {
  idleSince: number | undefined;
  private opening: Promise<McpConnection> | undefined;
  private users = 0;
  private isClosed = false;
  private idleTimer: NodeJS.Timeout | undefined;
  /** Failures since the server last did what it was asked, and when the last one was. */
  private failures = 0;
  private failedAt = 0;
  private readonly output: ServerOutput;

  constructor(
    private readonly server: string,
    private readonly config: McpServerConfig,
    private readonly options: SlotOptions,
  ) {
    const redact: Redact = createRedactor({ secrets: secretsOfServer(config) });
    this.output = new ServerOutput(server, options.log, redact);
  }

  /** Does something with the connection, which stays open meanwhile. */
  async use<T>(work: (connection: McpConnection) => Promise<T>, signal?: AbortSignal): Promise<T> {
    this.begin();
    try {
      const connection = await this.connection(signal);
      const result = await work(connection);
      this.failures = 0;
      return result;
    } finally {
      this.end();
    }
  }

  /** Closes the connection. The next use opens another one. */
  async evict(): Promise<void> {
    const { opening } = this;
    this.opening = undefined;
    clearTimeout(this.idleTimer);
    await opening?.then(
      (connection) => connection.close(),
      () => undefined,
    );
    this.options.places.leave(this);
  }

  /** Closes the connection for good. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.evict();
  }

  private begin(): void {
    this.users += 1;
    this.idleSince = undefined;
    clearTimeout(this.idleTimer);
  }

  private end(): void {
    this.users -= 1;
    if (this.users > 0) return;
    this.idleSince = Date.now();
    this.idleTimer = setTimeout(() => void this.evict(), this.options.idleMs);
    this.idleTimer.unref();
    this.options.places.notify();
  }

  private async connection(signal: AbortSignal | undefined): Promise<McpConnection> {
    for (;;) {
      if (this.isClosed) throw this.unavailable('The worker is shutting down.');
      this.opening ??= this.open();
      const { opening } = this;
      const connection = await abortable(opening, signal);
      if (connection.isOpen) return connection;
      if (this.opening === opening) await this.replace(connection);
    }
  }

  /** Notes that the server has died, and makes room for another connection. */
  private async replace(connection: McpConnection): Promise<void> {
    this.opening = undefined;
    this.failed();
    this.options.log('warn', 'MCP server ended; it is started again when it is needed', {
      server: this.server,
      end: connection.end,
      ...this.output.lastLine(),
    });
    await connection.close();
    this.options.places.leave(this);
  }

  private async open(): Promise<McpConnection> {
    try {
      await this.delay();
      return await this.openNow();
    } catch (error) {
      this.opening = undefined;
      this.options.places.leave(this);
      throw this.withOutput(error);
    }
  }

  private async openNow(): Promise<McpConnection> {
    const { places, startupMs } = this.options;
    if (this.config.type === 'stdio' && !(await places.take(this, startupMs)))
      throw this.unavailable('All processes that this worker may start for MCP servers are in use.');
    this.output.begin();
    const onOutput = this.output.receive.bind(this.output);
    try {
      return await McpConnection.open(this.server, this.config, { ...this.options, onOutput });
    } catch (error) {
      this.failed();
      throw error;
    }
  }

  /** A server that keeps failing is tried less and less often. */
  private async delay(): Promise<void> {
    if (this.failures < 2) return;
    const delayMs = Math.min(maxDelayMs, firstDelayMs * 2 ** (this.failures - 2));
    const left = this.failedAt + delayMs - Date.now();
    if (left <= 0) return;
    if (left > maxWaitMs) {
      const seconds = Math.ceil(left / 1_000);
      throw this.unavailable(`It has failed ${this.failures} times and is tried again in ${seconds} seconds.`);
    }
    await new Promise((resolve) => setTimeout(resolve, left));
  }

  private failed(): void {
    this.failures += 1;
    this.failedAt = Date.now();
  }

  private unavailable(why: string): McpError {
    return new McpError('Mcp.Unavailable', this.server, `The MCP server "${this.server}" is not available. ${why}`);
  }

  /** Adds the last line of stderr to the reason why a server did not start. */
  private withOutput(error: unknown): unknown {
    const { lastLine } = this.output.lastLine();
    if (!(error instanceof McpError) || lastLine === undefined) return error;
    return new McpError(error.type, this.server, `${error.message} Its last line on stderr: ${lastLine}`);
  }
}

/** Resolves like the promise, or rejects when the signal is aborted. Others may wait for the same promise. */
async function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  signal.throwIfAborted();
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => {
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    if (stop !== undefined) signal.removeEventListener('abort', stop);
  }
}
