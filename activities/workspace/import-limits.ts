import { InvalidInputError } from '../../domain/kernel';
import type { BlobRef } from '../../domain/store';

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
export const defaultImportLimits: ImportLimits = {
  maxFileBytes: 10 * 1024 * 1024,
  maxTotalBytes: 256 * 1024 * 1024,
  maxEntries: 20_000,
};

/** Options of `importFolder`. */
export interface ImportOptions {
  /** Overrides of the default limits. */
  readonly limits?: Partial<ImportLimits>;
  /** Paths or names to import although they may contain secrets. Default: none. */
  readonly allowed?: readonly string[];
  /** Called after each imported file, for example to send a heartbeat. */
  readonly onProgress?: (progress: ImportProgress) => void;
  /** Stops the import when aborted. */
  readonly signal?: AbortSignal;
}

/** Files and bytes imported so far. */
export interface ImportProgress {
  readonly files: number;
  readonly bytes: number;
}

/** Why an entry is excluded from the workspace. */
export type SkipReason = 'secret' | 'ignored' | 'badName' | 'special' | 'unreadable';

/** The result of an import. */
export interface ImportReport extends ImportProgress {
  readonly root: BlobRef;
  /** Number of files that are listed without their content because of their size. */
  readonly tooBig: number;
  /** Number of entries excluded from the workspace, by reason; an ignored folder counts as one. */
  readonly leftOut: Readonly<Record<SkipReason, number>>;
}

/** Counts entries and bytes during an import, and throws as soon as a limit is exceeded. */
export class ImportTotals {
  readonly leftOut: Record<SkipReason, number> = { secret: 0, ignored: 0, badName: 0, special: 0, unreadable: 0 };
  tooBig = 0;
  private entries = 0;
  private expectedBytes = 0;
  private files = 0;
  private bytes = 0;

  constructor(
    readonly limits: ImportLimits,
    private readonly onProgress: ((progress: ImportProgress) => void) | undefined,
  ) {}

  get progress(): ImportProgress {
    return { files: this.files, bytes: this.bytes };
  }

  countEntry(): void {
    this.entries += 1;
    const { maxEntries } = this.limits;
    if (this.entries > maxEntries) throw tooMuch(`it has more than ${maxEntries} files and folders`);
  }

  expectBytes(size: number): void {
    if (size > this.limits.maxFileBytes) return;
    this.expectedBytes += size;
    this.checkBytes(this.expectedBytes);
  }

  countFile(bytes: number): void {
    this.files += 1;
    this.bytes += bytes;
    this.checkBytes(this.bytes);
    this.onProgress?.(this.progress);
  }

  leaveOut(reason: SkipReason): void {
    this.leftOut[reason] += 1;
  }

  private checkBytes(bytes: number): void {
    const { maxTotalBytes } = this.limits;
    if (bytes > maxTotalBytes) throw tooMuch(`its files are larger than ${maxTotalBytes} bytes in total`);
  }
}

function tooMuch(reason: string): InvalidInputError {
  return new InvalidInputError(
    'workspace',
    `the folder is too large to mount: ${reason}`,
    'Mount a subfolder, add what is not needed to .gitignore, or raise the limit.',
  );
}
