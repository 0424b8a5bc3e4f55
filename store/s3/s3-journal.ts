import { mapWithLimit } from '../../domain/kernel';
import type { JournalPort, NamedContent } from '../driver/ports';
import type { Bucket } from './bucket';
import type { BlobFolder } from './s3-blobs';

const readAtATime = 16;

/** The journal of one run, as objects. Only for servers that let one of many writers create an object. */
export class S3Journal implements JournalPort {
  constructor(
    private readonly bucket: Bucket,
    private readonly folder: string,
    private readonly run: Pick<BlobFolder, 'forWriting' | 'missed' | 'wrote'>,
  ) {}

  async create(name: string, content: Uint8Array): Promise<boolean> {
    await this.run.forWriting();
    try {
      const created = await this.bucket.create(this.folder + name, content);
      this.run.wrote(true);
      return created;
    } catch (error) {
      this.run.wrote(false);
      throw error;
    }
  }

  async read(name: string): Promise<Uint8Array | undefined> {
    const found = await this.bucket.get(this.folder + name);
    if (found === undefined) await this.run.missed();
    return found;
  }

  async *list(prefix: string, except: ReadonlySet<string>): AsyncGenerator<readonly NamedContent[], void, undefined> {
    for await (const page of this.bucket.list(this.folder + prefix)) {
      const names = page.map(({ key }) => key.slice(this.folder.length)).filter((name) => !except.has(name));
      const found = await mapWithLimit(names, readAtATime, async (name) => {
        const content = await this.bucket.get(this.folder + name);
        return content === undefined ? [] : [{ name, content }];
      });
      yield found.flat();
    }
  }
}
