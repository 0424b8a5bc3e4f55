import type { BlobPort } from '../driver/ports';
import type { Bucket } from './bucket';

/** Where the blobs of a run are. */
export interface BlobFolder {
  /** Returns the begin of their keys. Throws if the run is being deleted. */
  forWriting(): Promise<string>;
  /** Returns the begin of their keys; undefined if the run has no data. With `again`, what was known may be outdated. */
  forReading(again: boolean): Promise<string | undefined>;
  /** Called when an object is missing. Throws if the whole store is. */
  missed(): Promise<void>;
  /** Called after a write, with whether it succeeded. */
  wrote(succeeded: boolean): void;
}

/** The blobs of one run, as objects. A write returns when the server has the object, so nothing is left to a flush. */
export class S3Blobs implements BlobPort {
  constructor(
    private readonly bucket: Bucket,
    private readonly folder: BlobFolder,
  ) {}

  async write(name: string, content: Uint8Array): Promise<void> {
    const key = (await this.folder.forWriting()) + name;
    try {
      // Also if there is one: that might be damaged.
      await this.bucket.put(key, content);
      this.folder.wrote(true);
    } catch (error) {
      this.folder.wrote(false);
      throw error;
    }
  }

  read(name: string): Promise<Uint8Array | undefined> {
    return this.look((folder) => this.bucket.get(folder + name));
  }

  async size(name: string): Promise<number | undefined> {
    return (await this.look((folder) => this.bucket.head(folder + name)))?.bytes;
  }

  async *names(): AsyncGenerator<readonly string[], void, undefined> {
    const folder = await this.folder.forReading(true);
    if (folder === undefined) return;
    for await (const page of this.bucket.list(folder)) yield page.map(({ key }) => key.slice(folder.length));
  }

  /** Looks twice: the run may have been deleted and begun anew since its folder was looked up. */
  private async look<T>(find: (folder: string) => Promise<T | undefined>): Promise<T | undefined> {
    const known = await this.folder.forReading(false);
    const found = known === undefined ? undefined : await find(known);
    if (found !== undefined) return found;
    await this.folder.missed();
    const current = await this.folder.forReading(true);
    return current === undefined || current === known ? undefined : find(current);
  }
}
