const mebibyte = 1024 * 1024;

/** Limits of commands. They belong to the worker, whose machine they protect. `defaultCommandLimits` has the defaults. */
export interface CommandLimits {
  /** Maximum seconds of one command. Default: 600. */
  readonly maxSeconds: number;
  /** Maximum bytes of memory of one command's processes. Default: 2 GiB. */
  readonly memoryBytes: number;
  /** Maximum processes and threads of one command. Default: 512. */
  readonly processes: number;
  /** Maximum bytes that a command may print. Default: 10 MiB. */
  readonly outputBytes: number;
  /** Maximum bytes of one file that a command writes. Default: 1 GiB. */
  readonly fileBytes: number;
  /** Maximum bytes of a command's `/tmp`, which is in memory. Default: 512 MiB. */
  readonly tmpBytes: number;
  /** Maximum bytes of one changed file that is recorded. Default: 10 MiB. */
  readonly changedFileBytes: number;
  /** Maximum bytes of all changed files of one command that are recorded. Default: 64 MiB. */
  readonly changedBytes: number;
  /** Maximum bytes of all scratch folders of a worker that are kept for later commands. Default: 4 GiB. */
  readonly scratchBytes: number;
  /** Free bytes on the disk of the scratch folders below which no command runs. Default: 512 MiB. */
  readonly freeBytes: number;
}

/** Limits that apply unless the worker overrides them. */
export const defaultCommandLimits: CommandLimits = {
  maxSeconds: 600,
  memoryBytes: 2_048 * mebibyte,
  processes: 512,
  outputBytes: 10 * mebibyte,
  fileBytes: 1_024 * mebibyte,
  tmpBytes: 512 * mebibyte,
  changedFileBytes: 10 * mebibyte,
  changedBytes: 64 * mebibyte,
  scratchBytes: 4_096 * mebibyte,
  freeBytes: 512 * mebibyte,
};

/** Formats a limit in bytes for a message, such as `10 MiB`. */
export function formatLimit(bytes: number): string {
  return bytes % mebibyte === 0 ? `${bytes / mebibyte} MiB` : `${bytes} bytes`;
}
