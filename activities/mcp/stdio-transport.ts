import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { type ChildProcess, spawn } from 'node:child_process';
import type { StdioServerConfig } from '../../domain/mcp';
import { LineReader } from './line-reader';

/** Why the process of a server ended, or why its connection was closed. */
export type TransportEnd =
  | { readonly kind: 'exited'; readonly code: number | null; readonly signal: NodeJS.Signals | null }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'tooLarge' }
  | { readonly kind: 'closed' };

/** What a transport needs apart from the server's own configuration. */
export interface StdioOptions {
  /** Variables that every server gets, such as PATH. Those of its configuration take precedence. */
  readonly baseEnvironment: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly maxMessageBytes: number;
  /** Called with every line that the server writes to stderr, and with lines on stdout that are not messages. */
  onOutput(line: string, stream: 'stdout' | 'stderr'): void;
}

/**
 * Starts the server as the leader of a process group, and beside it a guard: a shell that waits until file descriptor 3 is
 * closed and then kills the group. The operating system closes it when the worker dies, however it dies, so that no
 * process is left behind, even if the server ignores the end of its input.
 */
const guarded =
  '(trap "" TERM INT HUP; read -r _ <&3; kill -s KILL -- -$$) </dev/null >/dev/null 2>&1 & exec "$@" 3<&-';

/** How long a server has to exit after its input was closed, and again after SIGTERM, in milliseconds. */
const graceMs = 1_000;
/** How long output is awaited after a process has exited, in milliseconds: a child of it may keep the pipe open. */
const drainMs = 200;

/** Connects to a server that runs as a child process. The client recognizes it as such by `pid` and `stderr`. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly stderr = null;
  /** Why the connection ended; undefined while it is open. */
  end: TransportEnd | undefined;
  private child: ChildProcess | undefined;
  private exited: Promise<void> = Promise.resolve();
  private readonly ended: Promise<void>;
  private markEnded: () => void = () => undefined;
  private isReleased = false;

  constructor(
    private readonly config: StdioServerConfig,
    private readonly options: StdioOptions,
  ) {
    this.ended = new Promise((resolve) => {
      this.markEnded = resolve;
    });
  }

  get pid(): number | null {
    return this.child?.pid ?? null;
  }

  start(): Promise<void> {
    const child = this.spawn();
    this.child = child;
    this.exited = new Promise((resolve) => child.once('exit', resolve));
    this.read(child);
    child.once('exit', (code, signal) => {
      this.afterExit(child, { kind: 'exited', code, signal });
    });
    return new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => {
        this.finish({ kind: 'failed', message: error.message });
        reject(error);
      });
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.child?.stdin;
    if (stdin === null || stdin === undefined || !stdin.writable || this.end !== undefined)
      return Promise.reject(new Error('The MCP server is not running'));
    return new Promise((resolve, reject) => {
      stdin.write(serializeMessage(message), (error) => {
        if (error === null || error === undefined) resolve();
        // The process has ended or is about to. Why it did says more than this error.
        else
          void within(graceMs, this.ended).then(() => {
            reject(error);
          });
      });
    });
  }

  /** Ends the process and everything that it has started: first by closing its input, then by signals. */
  async close(): Promise<void> {
    this.finish({ kind: 'closed' });
    const { child } = this;
    if (child?.pid === undefined) return;
    if (!hasExited(child)) {
      child.stdin?.end();
      await within(graceMs, this.exited);
      if (!hasExited(child)) {
        signalGroup(child, 'SIGTERM');
        await within(graceMs, this.exited);
      }
    }
    this.release(child);
  }

  private spawn(): ChildProcess {
    const { command, args, env, cwd } = this.config;
    const { baseEnvironment, folder } = this.options;
    const common = { cwd: cwd ?? folder, env: { ...baseEnvironment, ...env }, windowsHide: true };
    if (process.platform === 'win32') return spawn(command, args, { ...common, stdio: 'pipe' });
    return spawn('/bin/sh', ['-c', guarded, 'sh', command, ...args], {
      ...common,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    });
  }

  private read(child: ChildProcess): void {
    const { maxMessageBytes, onOutput } = this.options;
    const messages = new LineReader(maxMessageBytes, (line) => {
      this.receive(line);
    });
    child.stdout?.on('data', (chunk: Buffer) => {
      if (this.end !== undefined || messages.add(chunk)) return;
      this.finish({ kind: 'tooLarge' });
      void this.close();
    });
    const errors = new LineReader(maxStderrLine, (line) => {
      onOutput(line, 'stderr');
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      if (!errors.add(chunk)) errors.clear();
    });
    // A process that has ended closes its pipes; writing to them then fails, which `send` reports.
    for (const stream of [child.stdin, child.stdout, child.stderr, child.stdio[3]])
      stream?.on('error', () => undefined);
  }

  private receive(line: string): void {
    if (line.trim() === '') return;
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(line);
    } catch {
      this.options.onOutput(line, 'stdout');
      return;
    }
    this.onmessage?.(message);
  }

  /** Waits for output that is still in the pipe. What the process has started is killed with the guard. */
  private afterExit(child: ChildProcess, end: TransportEnd): void {
    const done = (): void => {
      clearTimeout(timer);
      this.release(child);
      this.finish(end);
    };
    const timer = setTimeout(done, drainMs);
    child.once('close', done);
    child.stdio[3]?.destroy();
  }

  private finish(end: TransportEnd): void {
    if (this.end !== undefined) return;
    this.end = end;
    this.markEnded();
    this.onclose?.();
  }

  /** Kills what is left of the group, and closes the pipes. Once: the number of the group may be used again later. */
  private release(child: ChildProcess): void {
    if (this.isReleased) return;
    this.isReleased = true;
    signalGroup(child, 'SIGKILL');
    for (const stream of child.stdio) stream?.destroy();
  }
}

/** Waits for a promise, but not longer than this. */
async function within(ms: number, promise: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([promise, late]);
  clearTimeout(timer);
}

function hasExited({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** Maximum bytes of a line of stderr. The rest of a longer one is dropped. */
const maxStderrLine = 16 * 1024;

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform !== 'win32') process.kill(-child.pid, signal);
    else if (!hasExited(child)) child.kill(signal);
  } catch {
    // The group has ended.
  }
}
