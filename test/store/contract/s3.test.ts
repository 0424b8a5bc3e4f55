import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { mapWithLimit } from '../../../domain/kernel';
import { BlobMissingError, type Store } from '../../../domain/store';
import type { ObjectStore } from '../../../scripts/cluster/services/object-store';
import { openStore } from '../../../store/open-store';
import { runName } from '../../../store/run-name';
import {
  describeWithBuckets,
  newPrefix,
  startBuckets,
  startStoreServers,
  type StoreServers,
} from '../../support/stores';
import { text, utf8 } from '../support/folders';
import { contract, type ContractStand } from './contract';
import { FaultyProxy } from './faulty-proxy';

describeWithBuckets('a store with its blobs in S3', () => {
  let servers: StoreServers;
  let buckets: ObjectStore;
  let proxy: FaultyProxy;
  beforeAll(async () => {
    servers = await startStoreServers();
    buckets = await startBuckets();
    proxy = await FaultyProxy.start(buckets.endpoint);
  });
  afterAll(async () => {
    await proxy.close();
    await buckets.close();
    await servers.close();
  });

  describe('and its journal in PostgreSQL', () => {
    contract(async () => {
      const journal = await servers.newDatabase();
      const address = newPrefix(buckets, buckets.endpoint, journal);
      return { open: () => openStore({ store: { address } }), ...stand(buckets, address, journal), hasValues: true };
    });

    test('an upload whose connection is cut fails or is repeated, and never leaves half an object', async () => {
      const address = newPrefix(buckets, proxy.endpoint, await servers.newDatabase());
      const store = await openStore({ store: { address } });
      const bytes = Buffer.alloc(5 * 1024 * 1024, 'large');
      proxy.cutUploads(1);
      const ref = await store.forRun('r1').put(bytes, 'x/y');
      expect(bytes.equals(await store.forRun('r1').get(ref, 'the test'))).toBe(true);
      proxy.cutUploads(Infinity);
      await expect(store.forRun('r1').put(Buffer.alloc(200_000), 'x/y')).rejects.toMatchObject({
        type: 'Store.Unavailable',
      });
      proxy.heal();
      expect(await store.forRun('r1').verify()).toEqual({ blobs: 1, damaged: [] });
      await store.close?.();
    });

    test('a server that is busy is asked again, and reported when it stays so', async () => {
      const address = newPrefix(buckets, proxy.endpoint, await servers.newDatabase());
      const store = await openStore({ store: { address } });
      proxy.answerBusy(2);
      const ref = await store.forRun('r1').put(utf8('x'), 'x/y');
      proxy.answerBusy(Infinity);
      const failed = { type: 'Store.Unavailable', message: expect.stringContaining('SlowDown') as unknown };
      await expect(store.forRun('r1').get(ref, 'the test')).rejects.toMatchObject(failed);
      await expect(store.checkWritable()).resolves.toBeUndefined();
      proxy.heal();
      expect(text(await store.forRun('r1').get(ref, 'the test'))).toBe('x');
      await store.close?.();
    });

    test('a server that does not answer in time is reported', async () => {
      const address = `${newPrefix(buckets, proxy.endpoint, await servers.newDatabase())}&timeout=1`;
      const store = await openStore({ store: { address } });
      proxy.stall();
      await expect(store.forRun('r1').put(utf8('x'), 'x/y')).rejects.toMatchObject({ type: 'Store.Unavailable' });
      proxy.heal();
      await store.forRun('r1').put(utf8('x'), 'x/y');
      await store.close?.();
    });

    test('a server that is slow is waited for, and one that is full is reported as such', async () => {
      const address = `${newPrefix(buckets, proxy.endpoint, await servers.newDatabase())}&timeout=5`;
      const store = await openStore({ store: { address } });
      proxy.delay(1_500);
      const ref = await store.forRun('r1').put(utf8('x'), 'x/y');
      proxy.answerFull();
      await expect(store.forRun('r1').put(utf8('y'), 'x/y')).rejects.toMatchObject({ type: 'Store.Full' });
      expect(text(await store.forRun('r1').get(ref, 'the test'))).toBe('x');
      proxy.heal();
      await store.close?.();
    });

    test('an object that another request is writing is not taken for written', async () => {
      const address = newPrefix(buckets, proxy.endpoint, await servers.newDatabase());
      proxy.answerConflict(1);
      const store = await openStore({ store: { address } });
      // Without the object that identifies the store, what is missing could not be told from a bucket that was emptied.
      const ref = { hash: 'a'.repeat(64), bytes: 1, mediaType: 'x/y' };
      await expect(store.forRun('r1').get(ref, 'the test')).rejects.toThrow(BlobMissingError);
      proxy.heal();
      await store.close?.();
    });

    test('a bucket that is missing, forbidden or of another store is named', async () => {
      const journal = await servers.newDatabase();
      const other = { bucket: 'no-such-bucket' };
      await expect(openStore({ store: { address: newPrefix(other, buckets.endpoint, journal) } })).rejects.toThrow(
        /"no-such-bucket" does not exist/,
      );
      const address = newPrefix(buckets, buckets.endpoint, journal);
      await (await openStore({ store: { address } })).close?.();
      const elsewhere = new URL(address);
      elsewhere.searchParams.set('journal', await servers.newDatabase());
      await expect(openStore({ store: { address: elsewhere.href } })).rejects.toMatchObject({ type: 'Store.Other' });
      const secret = process.env['AWS_SECRET_ACCESS_KEY'];
      process.env['AWS_SECRET_ACCESS_KEY'] = 'wrong';
      await expect(openStore({ store: { address } })).rejects.toThrow(/access is denied/);
      process.env['AWS_SECRET_ACCESS_KEY'] = secret;
    });
  });

  describe('and its journal there too', () => {
    test('is refused where several writers win, and says what to configure', async () => {
      const opening = openStore({ store: { address: newPrefix(buckets, buckets.endpoint) } });
      await expect(opening).rejects.toMatchObject({
        type: 'Store.Unavailable',
        message: expect.stringMatching(/several writers.*journal=postgres/) as unknown,
      });
    });

    describe('where one writer wins', () => {
      contract(() => {
        proxy.serialize();
        const address = newPrefix(buckets, proxy.endpoint);
        const open = (): Promise<Store> => openStore({ store: { address } });
        return Promise.resolve({ open, ...standAlone(buckets, address), hasValues: false });
      });
    });

    test('reports an entry that others are always writing, and writes it when they have failed', async () => {
      proxy.serialize();
      const address = newPrefix(buckets, proxy.endpoint);
      const store = await openStore({ store: { address } });
      const run = store.forRun('r1');
      proxy.answerConflict(Infinity);
      await expect(run.putIfAbsent('answer/1', utf8('x'))).rejects.toMatchObject({
        type: 'Store.Unavailable',
        message: expect.stringContaining('ConditionalRequestConflict') as unknown,
      });
      proxy.answerConflict(2);
      expect(text(await run.putIfAbsent('answer/1', utf8('x')))).toBe('x');
      expect(text(await run.find('answer/1'))).toBe('x');
      await store.close?.();
      proxy.heal();
    });
  });
});

/** What the contract does behind the store's back, in the folder of the S3 server and in the database. */
function stand(buckets: ObjectStore, address: string, journal: string): Pick<ContractStand, 'damage' | 'fill'> {
  const execute = async (sql: string, values: readonly unknown[]): Promise<Record<string, unknown>[]> => {
    const client = new Client({ connectionString: journal });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql, [...values])).rows;
    } finally {
      await client.end();
    }
  };
  return {
    async damage(kind, run, name) {
      if (kind === 'entry') {
        await execute(
          `UPDATE baton.entry t SET content = set_byte(content, length(content) - 1, 255) FROM baton.run r
           WHERE r.name = $1 AND r.id = t.run AND starts_with(t.name, $2)`,
          [runName(run), name],
        );
        return;
      }
      const [row] = await execute('SELECT id FROM baton.run WHERE name = $1', [runName(run)]);
      await damageObject(buckets, `${prefixOf(address)}/runs/${String(row?.['id'])}/${name}`);
    },
    async fill(runs) {
      await execute(
        `WITH made AS (INSERT INTO baton.run (name, run_id) SELECT id, convert_to(id, 'UTF8') FROM unnest($1::text[]) id RETURNING id)
         INSERT INTO baton.entry (run, name, content) SELECT id, 'place', '' FROM made`,
        [runs],
      );
    },
  };
}

/** How the tests damage and fill a store that is only in the bucket. */
function standAlone(buckets: ObjectStore, address: string): Pick<ContractStand, 'damage' | 'fill'> {
  const folderOf = (run: string): string => `${prefixOf(address)}/runs/${runName(run)}`;
  return {
    damage: (kind, run, name) =>
      damageObject(buckets, `${folderOf(run)}/${kind === 'entry' ? 'journal' : 'blobs'}/${name}`),
    async fill(runs) {
      await mapWithLimit(runs, 16, async (run) => {
        const folder = join(buckets.objects, buckets.bucket, folderOf(run), 'journal');
        await mkdir(folder, { recursive: true });
        await writeFile(join(folder, 'place'), '');
      });
    },
  };
}

const prefixOf = (address: string): string => new URL(address).pathname.slice(1);

/** Changes the last byte of the first object whose key begins like this. */
async function damageObject({ bucket: Bucket, endpoint }: ObjectStore, prefix: string): Promise<void> {
  const s3 = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true });
  const { Contents: found } = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: prefix }));
  const at = { Bucket, Key: found?.[0]?.Key };
  const bytes = (await (await s3.send(new GetObjectCommand(at))).Body?.transformToByteArray()) ?? new Uint8Array();
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  await s3.send(new PutObjectCommand({ ...at, Body: bytes }));
  s3.destroy();
}
