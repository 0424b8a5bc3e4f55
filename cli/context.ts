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
