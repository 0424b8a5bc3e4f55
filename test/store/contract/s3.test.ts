import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { Client } from 'pg';
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

    test('works where one writer wins', async () => {
      proxy.serialize();
      const address = newPrefix(buckets, proxy.endpoint);
      const [store, another] = [await openStore({ store: { address } }), await openStore({ store: { address } })];
      const run = store.forRun('r1');
      const told = await Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          (n % 2 ? run : another.forRun('r1')).putIfAbsent('answer/1', utf8(`${n}`)),
        ),
      );
      expect(new Set(told.map(text)).size).toBe(1);
      const ref = await run.put(utf8('x'), 'x/y');
      expect(text(await another.forRun('r1').get(ref, 'the test'))).toBe('x');
      const deleted = await store.deleteRun('r1', async () => {
        const writing = (await openStore({ store: { address } })).forRun('r1').put(utf8('new'), 'x/y');
        await expect(writing).rejects.toMatchObject({ type: 'Store.Unavailable' });
        return true;
      });
      expect(deleted).toBe(true);
      expect(await another.forRun('r1').find('answer/1')).toBeUndefined();
      expect(await store.listRuns()).toEqual([]);
      await store.forRun('x'.repeat(3000)).put(utf8('long id'), 'x/y');
      expect(await store.listRuns()).toMatchObject([{ runId: 'x'.repeat(3000) }]);
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
      const at = {
        Bucket: buckets.bucket,
        Key: `${new URL(address).pathname.slice(1)}/runs/${String(row?.['id'])}/${name}`,
      };
      const s3 = new S3Client({ endpoint: buckets.endpoint, region: 'us-east-1', forcePathStyle: true });
      const bytes = (await (await s3.send(new GetObjectCommand(at))).Body?.transformToByteArray()) ?? new Uint8Array();
      bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
      await s3.send(new PutObjectCommand({ ...at, Body: bytes }));
      s3.destroy();
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
