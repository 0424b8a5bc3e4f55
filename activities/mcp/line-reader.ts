const newline = 10;

/** Splits a stream of bytes into lines of a limited length. */
export class LineReader {
  private parts: Buffer[] = [];
  private bytes = 0;

  constructor(
    private readonly maxBytes: number,
    private readonly onLine: (line: string) => void,
  ) {}

  /** Adds bytes and passes on the lines that are complete. Returns false if a line is longer than the limit. */
  add(chunk: Buffer): boolean {
    let from = 0;
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
      if (!this.take(chunk.subarray(from, at))) return false;
      const line = Buffer.concat(this.parts).toString('utf8').replace(/\r$/, '');
      this.clear();
      this.onLine(line);
      from = at + 1;
    }
    return this.take(chunk.subarray(from));
  }

  /** Drops what has been read of the current line. */
  clear(): void {
    this.parts = [];
    this.bytes = 0;
  }

  private take(part: Buffer): boolean {
    this.bytes += part.length;
    if (this.bytes > this.maxBytes) {
      this.parts = [];
      return false;
    }
    if (part.length > 0) this.parts.push(part);
    return true;
  }
}
