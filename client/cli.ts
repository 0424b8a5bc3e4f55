/** What a command may do to the outside: commands parse, call and print; only `main` touches the process. */
export interface Terminal {
  /** A line on standard output: the command's result, and nothing else. */
  print(line: string): void;
  /** Exact bytes on standard output. */
  write(bytes: Uint8Array): void;
  /** A line on standard error: progress, hints, warnings. */
  warn(line: string): void;
  readStdin(): Promise<Uint8Array>;
  readonly isInteractive: boolean;
}

/** Documented in docs/reference/cli.md. */
export const exitCodes = { ok: 0, failed: 1, misused: 2, unavailable: 3, interrupted: 130 } as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** An expected end of a command: printed without a stack trace. */
export class CliError extends Error {
  constructor(
    readonly exitCode: ExitCode,
    message: string,
    readonly remedy?: string,
  ) {
    super(message);
  }
}
