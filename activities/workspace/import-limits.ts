import type { BlobRef } from '../../domain/store/blob-ref';

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
