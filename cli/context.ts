import type { Client } from '@temporalio/client';
import type { Store } from '../domain/store';
import type { Settings } from '../temporal-config/node/settings';

/** The side effects available to a command. Commands parse, call and print; only `main` touches the process. */
export interface Terminal {
  /** Prints a line of the command's result to standard output. */
  print(line: string): void;
  /** Writes exact bytes to standard output. */
  write(bytes: Uint8Array): void;
  /** Prints progress, hints and warnings to standard error. */
  note(line: string): void;
  readStdin(): Promise<Uint8Array>;
  readonly isInteractive: boolean;
}

/** Exit codes, documented in docs/reference/cli.md. */
export const exitCodes = { ok: 0, failed: 1, misused: 2, unavailable: 3, interrupted: 130 } as const;
/** One of the exit codes. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/**
 * An expected failure that the user or caller can act on. The command line prints it without a stack trace.
 * `remedy` says what to do, often with a command to copy.
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
  /** Address of the Web UI; undefined unless the server is a local dev server. */
  readonly uiUrl: string | undefined;
  close(): Promise<void>;
}

/** Everything that commands use of their environment, so that tests can run commands without a process. */
export interface CliContext {
  readonly terminal: Terminal;
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
