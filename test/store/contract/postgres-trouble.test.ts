import { Client } from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '../../../domain/store';
import { migrateStore, openStore } from '../../../store/open-store';
import { Database } from '../../../store/postgres/database';
import { migrate } from '../../../store/postgres/migrate';
import { migrations } from '../../../store/postgres/migrations';
import { describeWithPostgres, startStoreServers, type StoreServers } from '../../support/stores';
import { text, utf8 } from '../support/folders';

describeWithPostgres('PostgreSQL in trouble', () => {
  let servers: StoreServers;
  const opened: Store[] = [];
  beforeAll(async () => {
    servers = await startStoreServers();
  });
  afterAll(async () => {
    for (const store of opened) await store.close?.();
    await servers.close();
  });

  const open = async (address: string): Promise<Store> => {
    const store = await openStore({ store: { address } });
    opened.push(store);
    return store;
  };
  const execute = async (address: string, sql: string): Promise<void> => {
    const client = new Client({ connectionString: address });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  const disconnectAll = (address: string): Promise<void> =>
    execute(
      address,
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );

  test('a server that is killed under load and comes back has lost nothing that was flushed', async () => {
    const store = await open(await servers.newDatabase());
    const failures = new Set<unknown>();
    const durable: string[] = [];
    let over = false;
    const writer = async (name: string): Promise<void> => {
      const run = store.forRun('r1');
      for (let n = 0; !over; n += 1) {
        const key = `answer/${name}-${n}`;
        try {
          await run.putIfAbsent(key, utf8(key), { later: true });
          await run.flush();
          durable.push(key);
        } catch (error) {
          failures.add((error as { type?: unknown }).type);
          await sleep(50);
        }
      }
    };
    const writing = Promise.all(['a', 'b', 'c', 'd'].map(writer));
    while (durable.length < 50) await sleep(10);
    await servers.postgres.service.kill();
    while (failures.size === 0) await sleep(10);
    const before = durable.length;
    await servers.postgres.service.start();
    while (durable.length < before + 50) await sleep(10);
    over = true;
    await writing;
    expect([...failures]).toEqual(['Store.Unavailable']);
    for (const key of durable) expect(text(await store.forRun('r1').find(key))).toBe(key);
  });

  test('connections that are cut are replaced', async () => {
    const address = await servers.newDatabase();
    const run = (await open(address)).forRun('r1');
    await run.putIfAbsent('answer/1', utf8('x'));
    await disconnectAll(address);
    // The first request may use a connection before its end is noticed.
    const found = await run.find('answer/1').catch(() => run.find('answer/1'));
    expect(text(found)).toBe('x');
  });

  test('a full disk is reported as such, and what is there can be read', async () => {
    const address = await servers.newDatabase();
    const run = (await open(address)).forRun('r1');
    await run.putIfAbsent('answer/1', utf8('x'));
    await execute(
      address,
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
       CREATE TRIGGER refuse BEFORE INSERT ON baton.entry FOR EACH ROW EXECUTE FUNCTION refuse();
       CREATE TRIGGER refuse BEFORE INSERT ON baton.blob FOR EACH ROW EXECUTE FUNCTION refuse()`,
    );
    await expect(run.put(utf8('y'), 'x/y')).rejects.toMatchObject({ type: 'Store.Full' });
    await expect(run.putIfAbsent('answer/2', utf8('y'))).rejects.toMatchObject({ type: 'Store.Full' });
    expect(text(await run.putIfAbsent('answer/1', utf8('y')))).toBe('x');
  });

  test('a server that only reads is reported, before and while something is written', async () => {
    const address = await servers.newDatabase();
    const store = await open(address);
    await execute(
      address,
      `ALTER DATABASE ${new URL(address).pathname.slice(1)} SET default_transaction_read_only = on`,
    );
    await disconnectAll(address);
    const failed = { type: 'Store.Unavailable', message: expect.stringContaining('read-only') as unknown };
    await store.listRuns().catch(() => undefined);
    await expect(store.checkWritable()).rejects.toMatchObject(failed);
    await expect(store.forRun('r1').put(utf8('x'), 'x/y')).rejects.toMatchObject(failed);
  });

  test('another store behind the same address, or none, is not mistaken for this one', async () => {
    const address = await servers.newDatabase();
    const store = await open(address);
    await execute(address, 'UPDATE baton.store SET id = gen_random_uuid()');
    await disconnectAll(address);
    await store.listRuns().catch(() => undefined);
    await expect(store.forRun('r1').find('answer/1')).rejects.toMatchObject({ type: 'Store.Other' });
    await execute(address, 'DROP SCHEMA baton CASCADE');
    await disconnectAll(address);
    await expect(store.forRun('r1').put(utf8('x'), 'x/y')).rejects.toThrow(/baton store migrate/);
  });

  test('tables are created once by many, and not at all where that is turned off', async () => {
    const address = await servers.newDatabase();
    await expect(open(`${address}?migrate=off`)).rejects.toThrow(/tables are missing; run `baton store migrate`/);
    const stores = await Promise.all(Array.from({ length: 8 }, () => open(`${address}?pool=2`)));
    expect(new Set(stores.map(({ id }) => id)).size).toBe(1);
    expect((await open(`${address}?migrate=off`)).id).toBe(stores[0]?.id);
  });

  test('tables are upgraded step by step, in order and once, and those of a newer Baton are refused', async () => {
    const address = await servers.newDatabase();
    const store = await open(address);
    await store.forRun('r1').put(utf8('x'), 'x/y');
    const database = await Database.open({ url: address, location: 'db', schema: 'baton', pool: 1, timeoutMs: 5_000 });
    const steps = [['CREATE TABLE @.step (number integer)'], ['INSERT INTO @.step VALUES (1)']];
    const now = migrations.length;
    const upgraded = [...migrations, ...steps];
    // A step that fails takes back those before it.
    const failing = migrate(database, [...upgraded, ['SELECT 1 FROM @.nothing']]);
    await expect(failing).rejects.toMatchObject({ type: 'Store.Unavailable' });
    expect(await migrate(database, upgraded)).toEqual({ from: now, to: now + 2 });
    expect(await migrate(database, upgraded)).toEqual({ from: now + 2, to: now + 2 });
    expect(await database.run('SELECT number FROM @.step')).toEqual([{ number: 1 }]);
    await database.run('INSERT INTO @.migration (version) VALUES (99)');
    await expect(open(address)).rejects.toThrow(/version 99, written by a newer Baton/);
    await expect(open(`${address}?migrate=off`)).rejects.toThrow(/version 99, written by a newer Baton/);
    await expect(migrateStore({ store: { address } })).rejects.toThrow(/version 99, written by a newer Baton/);
    expect(await store.forRun('r1').verify()).toEqual({ blobs: 1, damaged: [] });
    await database.close();
  });

  test('a statement that takes too long is given up', async () => {
    const address = await servers.newDatabase();
    const run = (await open(`${address}?timeout=1`)).forRun('r1');
    await run.putIfAbsent('answer/1', utf8('x'));
    await execute(
      address,
      `CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(60); RETURN NEW; END $$;
       CREATE TRIGGER wait BEFORE INSERT ON baton.blob FOR EACH ROW EXECUTE FUNCTION wait()`,
    );
    await expect(run.put(utf8('y'), 'x/y')).rejects.toMatchObject({
      type: 'Store.Unavailable',
      message: expect.stringContaining('statement timeout') as unknown,
    });
    expect(text(await run.find('answer/1'))).toBe('x');
  });

  test('an address that does not work is explained without its password', async () => {
    const url = new URL(await servers.newDatabase());
    url.password = 'hidden';
    const wrong = await open(url.href).catch((error: unknown) => error as Error);
    expect(wrong).toMatchObject({
      type: 'Store.Unavailable',
      message: expect.stringContaining('password authentication') as unknown,
    });
    url.port = '1';
    const nobody = await open(url.href).catch((error: unknown) => error as Error);
    expect(nobody).toMatchObject({
      type: 'Store.Unavailable',
      message: expect.stringContaining('ECONNREFUSED') as unknown,
    });
    for (const failure of [wrong, nobody])
      expect(JSON.stringify([failure, (failure as Error).message])).not.toContain('hidden');
  });
});
