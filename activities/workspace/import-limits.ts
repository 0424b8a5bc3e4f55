import { InvalidInputError } from '../../domain/kernel';
import type { BlobRef } from '../../domain/store';
import type { MountProgress } from '../../domain/workspace';

/** Limits of an import. `defaultImportLimits` has the defaults. */
export interface ImportLimits {
  /** Maximum bytes of one file. A larger file is listed, but its content is not imported. Default: 10 MiB. */
  readonly maxFileBytes: number;
  /** Maximum bytes of all imported files. A larger folder is refused. Default: 256 MiB. */
  readonly maxTotalBytes: number;
  /** Maximum number of files, links and folders. A folder with more is refused. Default: 20,000. */
  readonly maxEntries: number;
}

/** Limits that apply unless an import overrides them. */
const defaultImportLimits: ImportLimits = {
  maxFileBytes: 10 * 1024 * 1024,
  maxTotalBytes: 256 * 1024 * 1024,
  maxEntries: 20_000,
};

/**
 * What a worker may mount: limits, which default to `defaultImportLimits`, and exceptions. They belong to the worker and
 * not to the run, because it is the worker's disk, memory and secrets that they protect.
 */
export type WorkspaceOptions = { readonly [Limit in keyof ImportLimits]?: ImportLimits[Limit] | undefined } & {
  /** Paths or names to import although they may contain secrets, with everything below them. Default: none. */
  readonly include?: readonly string[] | undefined;
};

/** Options of `importFolder`. */
export type ImportOptions = WorkspaceOptions & {
  /** Called after each listed and each imported file, for example to send a heartbeat. */
  readonly onProgress?: (progress: MountProgress) => void;
  /** Stops the import when aborted. */
  readonly signal?: AbortSignal;
};

/** Why an entry is excluded from the workspace. */
export type SkipReason = 'secret' | 'ignored' | 'badName' | 'special' | 'unreadable';

/** The result of an import. */
export interface ImportReport {
  readonly root: BlobRef;
  /** Number of imported files, and their bytes. */
  readonly files: number;
  readonly bytes: number;
  /** Number of files that are listed without their content because of their size. */
  readonly tooBig: number;
  /** Number of entries excluded from the workspace, by reason; an ignored folder counts as one. */
  readonly leftOut: Readonly<Record<SkipReason, number>>;
}

/** Counts entries and bytes during an import, and throws as soon as a limit is exceeded. */
export class ImportTotals {
  readonly leftOut: Record<SkipReason, number> = { secret: 0, ignored: 0, badName: 0, special: 0, unreadable: 0 };
  tooBig = 0;
  files = 0;
  bytes = 0;
  private entries = 0;
  private expectedFiles = 0;
  private expectedBytes = 0;
  private isListed = false;

  readonly limits: ImportLimits;

  constructor(private readonly options: ImportOptions) {
    this.limits = {
      maxFileBytes: options.maxFileBytes ?? defaultImportLimits.maxFileBytes,
      maxTotalBytes: options.maxTotalBytes ?? defaultImportLimits.maxTotalBytes,
      maxEntries: options.maxEntries ?? defaultImportLimits.maxEntries,
    };
  }

  countEntry(): void {
    this.entries += 1;
    const { maxEntries } = this.limits;
    if (this.entries > maxEntries) throw tooMuch(`it has more than ${maxEntries} files and folders`, 'maxEntries');
  }

  expectFile(size: number): void {
    if (size > this.limits.maxFileBytes) return;
    this.expectedFiles += 1;
    this.expectedBytes += size;
    this.checkBytes(this.expectedBytes);
    this.report();
  }

  /** Call this when all files are known. */
  endListing(): void {
    this.isListed = true;
    this.report();
  }

  countFile(bytes: number): void {
    this.files += 1;
    this.bytes += bytes;
    this.checkBytes(this.bytes);
    this.report();
  }

  leaveOut(reason: SkipReason): void {
    this.leftOut[reason] += 1;
  }

  private checkBytes(bytes: number): void {
    const { maxTotalBytes } = this.limits;
    if (bytes > maxTotalBytes)
      throw tooMuch(`its files are larger than ${maxTotalBytes} bytes in total`, 'maxTotalBytes');
  }

  private report(): void {
    const { isListed, files, bytes, expectedFiles: ofFiles, expectedBytes: ofBytes } = this;
    this.options.onProgress?.({ isListed, files, bytes, ofFiles, ofBytes });
  }
}

/** Environment variables that change a limit. */
const variables = {
  maxEntries: 'BATON_WORKSPACE_MAX_ENTRIES',
  maxTotalBytes: 'BATON_WORKSPACE_MAX_BYTES',
} as const;

function tooMuch(reason: string, limit: keyof typeof variables): InvalidInputError {
  return new InvalidInputError(
    'workspace',
    `the folder is too large to mount: ${reason}`,
    'Mount a subfolder, add what is not needed to .gitignore, or raise the limit: restart the worker with ' +
      `${variables[limit]} set to a higher number, or with the worker option workspace.${limit}.`,
  );
}
