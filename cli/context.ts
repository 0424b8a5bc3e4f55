import type { Client } from '@temporalio/client';
import type { Store } from '../domain/store';
import type { Settings } from '../temporal-config/node/settings';
import type { Line } from './screen/style';

/** The side effects available to a command. Commands parse, call and print; only `main` touches the process. */
export interface Terminal {
  /** Prints a part of the command's result to standard output, with control characters made visible. */
  print(text: string): void;
  /** Prints lines to standard output, in colour if it has colours. */
  printLines(lines: readonly Line[]): void;
  /** Prints a value as one line of JSON to standard output. */
  printJson(value: unknown): void;
  /** Writes exact bytes to standard output; on a screen, with control characters made visible. */
  write(bytes: Uint8Array): void;
  /** Prints progress, hints and warnings to standard error. */
  note(text: string): void;
  /** Prints lines to standard error, in colour if it has colours. */
  noteLines(lines: readonly Line[]): void;
  /** Rings the bell, if a person is watching. */
  bell(): void;
  /** Number of columns of standard output; undefined if it is not a screen. */
  columns(): number | undefined;
  /** Creates a text on standard error that is redrawn. Only for an interactive terminal. */
  liveText(): Promise<LiveText>;
  readStdin(): Promise<Uint8Array>;
  /** Whether a person is watching standard error. */
  readonly isInteractive: boolean;
}

/** A text that is redrawn in place and erased at the end. */
export interface LiveText {
  show(text: string): void;
  /** Shows lines, which must fit into the size. */
  showLines(lines: readonly Line[]): void;
  /** Prints lines above it that stay. */
  above(lines: readonly Line[]): void;
  /** Calls back for keys that a person presses, by name: `up`, `j`, … Does nothing without a keyboard. */
  onKey(listener: (name: string) => void): void;
  /** Size of the screen. */
  size(): ScreenSize;
  close(): void;
}

/** Size of a screen in characters. */
export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** Exit codes, documented in docs/reference/cli.md. */
export const exitCodes = { ok: 0, failed: 1, misused: 2, unavailable: 3, interrupted: 130 } as const;
/** One of the exit codes. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/**
 * An expected failure of a command, printed without a stack trace. `remedy` says what to do, often with a command to
 * copy. Errors of the library are `BatonError`s, which `explain` maps to exit codes.
 */
export class CliError extends Error {
  constructor(
    readonly exitCode: ExitCode,
    message: string,
    readonly remedy?: string,
  ) {
    super(message);
  }
}

/** A connection to Temporal that a command must close. */
export interface OpenConnection {
  readonly client: Client;
  readonly namespace: string;
  /** Address of the server, for people; omitted when it is not known. */
  readonly address?: string;
  /** Address of the Web UI; undefined unless the server is a local dev server. */
  readonly uiUrl: string | undefined;
  close(): Promise<void>;
}

/** Everything that commands use of their environment, so that tests can run commands without a process. */
export interface CliContext {
  readonly terminal: Terminal;
  /** Whether a defect is reported with its stack. */
  readonly showStacks?: boolean;
  settings(): Settings;
  connect(): Promise<OpenConnection>;
  openStore(): Promise<Store>;
}

/** Connects, does the work, and closes the connection even if the work fails. */
export async function withConnection<T>(
  context: CliContext,
  work: (connected: OpenConnection) => Promise<T>,
): Promise<T> {
  const connected = await context.connect();
  try {
    return await work(connected);
  } finally {
    await connected.close();
  }
}

/** Returns the address of a workflow's page in the Web UI. */
export function workflowPage(uiUrl: string, namespace: string, workflowId: string): string {
  return `${uiUrl}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflowId)}`;
}
