import { InvalidInputError } from '../../domain/kernel/errors';
import type { ImportLimits, ImportProgress, SkipReason } from './import-limits';

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
