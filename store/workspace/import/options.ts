import type { BlobRef } from '../../../domain/store/blob-ref';

export interface ImportLimits {
  /** A larger file is listed, but its contents are not imported. */
  readonly maxFileBytes: number;
  /** More than this in all is refused. */
  readonly maxTotalBytes: number;
  /** More files, links and folders than this are refused. */
  readonly maxEntries: number;
}

export const defaultImportLimits: ImportLimits = {
  maxFileBytes: 10 * 1024 * 1024,
  maxTotalBytes: 256 * 1024 * 1024,
  maxEntries: 20_000,
};

export interface ImportOptions {
  readonly limits?: Partial<ImportLimits>;
  /** Paths or names to mount although they may hold secrets. */
  readonly allowed?: readonly string[];
  /** Called as files come in; for heartbeats. */
  readonly onProgress?: (progress: ImportProgress) => void;
  readonly signal?: AbortSignal;
}

export interface ImportProgress {
  readonly files: number;
  readonly bytes: number;
}

export type LeftOutReason = 'secret' | 'ignored' | 'badName' | 'special' | 'unreadable';

export interface ImportReport extends ImportProgress {
  readonly root: BlobRef;
  /** Files that are listed, but not readable, because of their size. */
  readonly tooBig: number;
  /** How many entries are not in the workspace at all; an ignored folder counts as one. */
  readonly leftOut: Readonly<Record<LeftOutReason, number>>;
}
