import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { CliError, exitCodes } from '../context';

/** Characters that are collected before they are written. */
const pieceLength = 256 * 1024;

/**
 * A file that only its owner can read, written piece by piece. Until it is whole, an existing file of that name stays as
 * it is.
 */
export class PrivateFile {
  private pieces: string[] = [];
  private length = 0;
  private bytes = 0;
  private writing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly file: FileHandle,
    /** Where the pieces are written. */
    private readonly path: string,
    /** Name of the whole file; the same for what is not a regular file, such as a terminal. */
    private readonly target: string,
  ) {}

  /** Throws a `CliError` if the file can't be written. */
  static async create(path: string): Promise<PrivateFile> {
    return orMisused(async () => {
      const target = await realpath(path).catch(() => path);
      const existing = await stat(target).catch(() => undefined);
      const isReplaced = existing === undefined || existing.isFile();
      const written = isReplaced ? `${target}.${process.pid}.part` : target;
      return new PrivateFile(await open(written, 'w', 0o600), written, target);
    });
  }

  /** Adds a piece. Pieces can be added before earlier ones have been written. */
  write(piece: string): Promise<void> {
    this.pieces.push(piece);
    this.length += piece.length;
    return this.length < pieceLength ? Promise.resolve() : this.flush();
  }

  /** Gives the file its name, and returns its size in bytes. */
  async finish(): Promise<number> {
    await this.flush();
    await orMisused(async () => {
      await this.file.close();
      if (this.path !== this.target) await rename(this.path, this.target);
    });
    return this.bytes;
  }

  /** Removes what has been written. */
  async discard(): Promise<void> {
    await this.writing.catch(() => undefined);
    await this.file.close().catch(() => undefined);
    if (this.path !== this.target) await rm(this.path, { force: true });
  }

  private flush(): Promise<void> {
    const text = Buffer.from(this.pieces.join(''));
    this.pieces = [];
    this.length = 0;
    this.bytes += text.length;
    this.writing = this.writing.then(() => orMisused(() => this.file.appendFile(text)));
    return this.writing;
  }
}

async function orMisused<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError(exitCodes.misused, `The report can't be written: ${reason}`, 'Pass a writable file with --out.');
  }
}
