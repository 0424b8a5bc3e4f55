import { type StoredRun, StoreUnavailableError } from '../../domain/store';
import type { RunDriver, StoreDriver } from '../driver/ports';
import { WriteProbe } from '../driver/write-probe';
import { isHashedName, runIdOfName, runName } from '../run-name';
import { Bucket, type BucketOptions } from './bucket';
import { assertSameBucket, claimBucket, readManifest } from './manifest';
import { assertOneWinner } from './race-probe';
import { S3Blobs } from './s3-blobs';
import { S3Journal } from './s3-journal';

/** Opens a store with everything in a bucket, if its server can keep a journal. */
export async function openS3Alone(options: BucketOptions): Promise<StoreDriver> {
  const bucket = await Bucket.open(options);
  try {
    await assertOneWinner(bucket);
    return new S3AloneDriver(bucket, (await readManifest(bucket)) ?? (await claimBucket(bucket)));
  } catch (error) {
    bucket.close();
    throw error;
  }
}

/** Milliseconds for which the mark of a deletion is heeded. An older one was left behind by a process that died. */
const markMs = 10 * 60 * 1000;
/** A look at the mark may be a second old: see `RunFolder` of the file driver. */
const looksAreValidMs = 1_000;

const folderOf = (name: string): string => `runs/${name}/`;
const markOf = (name: string): string => `${folderOf(name)}deletion`;
const idOf = (name: string): string => `${folderOf(name)}run-id`;

class S3AloneDriver implements StoreDriver {
  readonly location: string;
  private readonly probe: WriteProbe;

  constructor(
    private readonly bucket: Bucket,
    readonly id: string,
  ) {
    this.location = bucket.location;
    this.probe = new WriteProbe(() => bucket.put('writable', new Uint8Array()));
  }

  forRun(runId: string): RunDriver {
    const { bucket, id, probe } = this;
    const name = runName(runId);
    const [blobs, journal] = [`${folderOf(name)}blobs/`, `${folderOf(name)}journal/`];
    let lookedAt = Number.NEGATIVE_INFINITY;
    const run = {
      forWriting: async () => {
        if (performance.now() - lookedAt < looksAreValidMs) return blobs;
        const now = performance.now();
        await this.assertWritable(name, runId);
        lookedAt = now;
        return blobs;
      },
      forReading: () => Promise.resolve(blobs),
      missed: () => assertSameBucket(bucket, id),
      wrote: (succeeded: boolean) => {
        if (succeeded) probe.written();
        else probe.failed();
      },
    };
    return {
      blobs: new S3Blobs(bucket, run),
      journal: new S3Journal(bucket, journal, run),
      flush: () => Promise.resolve(),
    };
  }

  checkWritable(): Promise<void> {
    return this.probe.check();
  }

  async listRuns(): Promise<readonly StoredRun[]> {
    const runs = new Map<string, Omit<StoredRun, 'runId'>>();
    for await (const page of this.bucket.list('runs/')) {
      for (const { key, bytes, writtenAt } of page) {
        const name = key.split('/', 2)[1] ?? '';
        const { bytes: before, files, lastWrittenAt } = runs.get(name) ?? { bytes: 0, files: 0, lastWrittenAt: 0 };
        runs.set(name, { bytes: before + bytes, files: files + 1, lastWrittenAt: Math.max(lastWrittenAt, writtenAt) });
      }
    }
    const named = await Promise.all([...runs].map(async ([name, run]) => ({ runId: await this.readId(name), ...run })));
    return named.flatMap(({ runId, ...run }) => (runId === undefined ? [] : [{ runId, ...run }]));
  }

  async deleteRun(runId: string, confirm?: () => Promise<boolean>): Promise<boolean> {
    const { bucket } = this;
    const name = runName(runId);
    const { value: first } = await bucket.list(folderOf(name)).next();
    if (first === undefined || first.length === 0) return false;
    const at = Date.now();
    if (!(await this.mark(name))) return false;
    let agreed = false;
    try {
      agreed = confirm === undefined || ((await confirm()) && Date.now() - at < markMs / 2);
      if (!agreed) return false;
      for (const part of ['blobs/', 'journal/', 'run-id']) await bucket.removeAll(folderOf(name) + part);
      return true;
    } finally {
      await bucket.remove(markOf(name));
    }
  }

  close(): Promise<void> {
    this.bucket.close();
    return Promise.resolve();
  }

  /** Marks a run for deletion. Returns false if another process is deleting it. */
  private async mark(name: string): Promise<boolean> {
    const found = await this.bucket.head(markOf(name));
    if (found !== undefined && Date.now() - found.writtenAt < markMs) return false;
    if (found !== undefined) await this.bucket.remove(markOf(name));
    return this.bucket.create(markOf(name), new Uint8Array());
  }

  private async assertWritable(name: string, runId: string): Promise<void> {
    const mark = await this.bucket.head(markOf(name));
    if (mark !== undefined && Date.now() - mark.writtenAt < markMs)
      throw new StoreUnavailableError(this.location, `\`baton gc\` is deleting the data of run "${runId}"`);
    if (isHashedName(name) && (await this.bucket.head(idOf(name))) === undefined)
      await this.bucket.put(idOf(name), Buffer.from(runId, 'utf8'));
  }

  private async readId(name: string): Promise<string | undefined> {
    if (!isHashedName(name)) return runIdOfName(name);
    const bytes = await this.bucket.get(idOf(name));
    return bytes === undefined ? undefined : Buffer.from(bytes).toString('utf8');
  }
}
