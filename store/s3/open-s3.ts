import { type StoredRun, WrongStoreError } from '../../domain/store';
import type { RunDriver, StoreDriver } from '../driver/ports';
import { WriteProbe } from '../driver/write-probe';
import { openPostgres, type PostgresDriver, type PostgresOptions } from '../postgres/open-postgres';
import { buryRun, removeBuried, runPages } from '../postgres/runs';
import { runName } from '../run-name';
import { Bucket, type BucketOptions } from './bucket';
import { assertSameBucket, claimBucket } from './manifest';
import { RunRows } from './run-rows';
import { S3Blobs } from './s3-blobs';

/** Opens a store with its blobs in a bucket and its journal in a database, which also knows the runs. */
export async function openS3(options: BucketOptions, journal: PostgresOptions): Promise<StoreDriver> {
  const [bucket, database] = await Promise.all([Bucket.open(options), openPostgres(journal)]);
  try {
    const found = await claimBucket(bucket, database.id);
    if (found !== database.id) throw new WrongStoreError(database.id, found);
    return new S3Driver(bucket, database);
  } catch (error) {
    bucket.close();
    await database.close();
    throw error;
  }
}

const folderOf = (row: string): string => `runs/${row}/`;

class S3Driver implements StoreDriver {
  readonly id: string;
  readonly location: string;
  private readonly rows: RunRows;
  private readonly probe: WriteProbe;

  constructor(
    private readonly bucket: Bucket,
    private readonly journal: PostgresDriver,
  ) {
    this.id = journal.id;
    this.location = bucket.location;
    this.rows = new RunRows(journal.database);
    this.probe = new WriteProbe(() => bucket.put('writable', new Uint8Array()));
  }

  forRun(runId: string): RunDriver {
    const run = { runId, name: runName(runId) };
    const { rows, probe, bucket, id } = this;
    const blobs = new S3Blobs(bucket, {
      forWriting: async () => folderOf(await rows.forWriting(run)),
      forReading: async (again) => {
        const row = await rows.forReading(run, again);
        return row === undefined ? undefined : folderOf(row);
      },
      missed: () => assertSameBucket(bucket, id),
      wrote: (succeeded) => {
        if (succeeded) probe.written();
        else probe.failed();
      },
    });
    return { ...this.journal.forRun(runId), blobs };
  }

  async checkWritable(): Promise<void> {
    await Promise.all([this.journal.checkWritable(), this.probe.check()]);
  }

  async listRuns(): Promise<readonly StoredRun[]> {
    const objects = await this.tallies();
    const runs: StoredRun[] = [];
    for await (const page of runPages(this.journal.database)) {
      for (const { row, ...run } of page) runs.push(added(run, objects.get(row)));
    }
    return runs;
  }

  async deleteRun(runId: string, confirm?: () => Promise<boolean>): Promise<boolean> {
    const gone = await buryRun(this.journal.database, runId, confirm);
    this.rows.forget(runName(runId));
    await removeBuried(this.journal.database, (row) => this.bucket.removeAll(folderOf(row)));
    return gone;
  }

  async close(): Promise<void> {
    this.bucket.close();
    await this.journal.close();
  }

  /** Adds up the objects of each run, by its row. */
  private async tallies(): Promise<ReadonlyMap<string, Tally>> {
    const tallies = new Map<string, Tally>();
    for await (const page of this.bucket.list('runs/')) {
      for (const { key, bytes, writtenAt } of page) {
        const row = key.split('/', 2)[1] ?? '';
        const { bytes: before, files, lastWrittenAt } = tallies.get(row) ?? { bytes: 0, files: 0, lastWrittenAt: 0 };
        const latest = Math.max(lastWrittenAt, writtenAt);
        tallies.set(row, { bytes: before + bytes, files: files + 1, lastWrittenAt: latest });
      }
    }
    return tallies;
  }
}

type Tally = Omit<StoredRun, 'runId'>;

function added(run: StoredRun, tally: Tally | undefined): StoredRun {
  if (tally === undefined) return run;
  const { bytes, files, lastWrittenAt } = tally;
  return {
    runId: run.runId,
    bytes: run.bytes + bytes,
    files: run.files + files,
    lastWrittenAt: Math.max(run.lastWrittenAt, lastWrittenAt),
  };
}
