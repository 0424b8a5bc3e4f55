import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scriptedEnvironment } from '../../cli/service/scripted-environment';
import { type ObjectStore, startObjectStore } from '../../scripts/cluster/services/object-store';
import { databases, startTemporalServer, type TemporalServer } from '../../scripts/cluster/services/temporal-server';
import { storeDatabase, storeEnvironment } from '../../scripts/cluster/shared-store';
import { type ScriptedModel, startScriptedModel } from '../../testing/scripted-model';
import type { Postgres } from '../../scripts/cluster/services/postgres';
import { baton, type Ended, type RunningCommand, startBaton } from '../cli/support/process';
import { dump, restore } from '../support/backup';
import {
  findInDatabase,
  findInFiles,
  type Found,
  newWord,
  plantingScript,
  words,
  writeWorkspace,
} from '../support/planted-words';
import { describeWithCluster, startStoreServers, type StoreServers } from '../support/stores';
import { until } from '../support/until';

const control = newWord('control');
const id = `restored-${randomBytes(4).toString('hex')}`;
const allDatabases = [...Object.keys(databases), storeDatabase];

interface Place {
  readonly servers: StoreServers;
  readonly objects: ObjectStore;
  readonly temporal: TemporalServer;
  readonly env: Readonly<Record<string, string>>;
}

describeWithCluster(
  'an encrypted run on a cluster, whose databases are dumped and restored in the middle of it',
  () => {
    const opened: (() => Promise<unknown>)[] = [];
    const logs: RunningCommand[] = [];
    let folder: string;
    let model: ScriptedModel;
    let common: Record<string, string>;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'baton-dumped-'));
      opened.push(() => rm(folder, { recursive: true, force: true }));
      for (const name of ['tmp', 'logs', 'elsewhere', 'dumps']) await mkdir(join(folder, name));
      await writeWorkspace(join(folder, 'elsewhere', 'workspace'));
      model = await startScriptedModel(plantingScript);
      opened.push(() => model.close());
      common = {
        ...scriptedEnvironment(model),
        TMPDIR: join(folder, 'tmp'),
        BATON_STATE_DIR: join(folder, 'tmp', 'state'),
        BATON_LOG_LEVEL: 'INFO',
        BATON_SHUTDOWN_GRACE: '0',
        BATON_ENCRYPTION_KEYS: `2026-11:base64:${randomBytes(32).toString('base64')}`,
      };
    });
    afterAll(async () => {
      for (const close of opened.reverse()) await close();
    });

    /** Starts servers, empty or with the data of others, and a worker. */
    const open = async (from?: { readonly dumps: string; readonly objects: string }): Promise<Place> => {
      const servers = await startStoreServers();
      opened.push(() => servers.close());
      const { postgres } = servers;
      if (from === undefined) await postgres.createDatabase(storeDatabase);
      else for (const name of allDatabases) await restore(postgres, name, join(from.dumps, name));
      const objects = await startObjectStore(from === undefined ? {} : { copyOf: from.objects });
      opened.push(objects.close);
      const temporal = await startTemporalServer(postgres, { isRestored: from !== undefined });
      opened.push(temporal.close);
      const env = { ...common, TEMPORAL_ADDRESS: temporal.address, ...storeEnvironment(objects, postgres) };
      return { servers, objects, temporal, env };
    };
    const startWorker = async ({ env }: Place): Promise<RunningCommand> => {
      const worker = startBaton(['worker'], { cwd: folder, env });
      opened.push(() => worker.kill('SIGKILL'));
      logs.push(worker);
      await worker.said('Worker on task queue');
      return worker;
    };
    const run = ({ env }: Place, ...args: readonly string[]): Promise<Ended> => baton(args, { cwd: folder, env });
    /** Where words are in a place: in all tables and all objects. */
    const findIn = async ({ servers, objects }: Place, wanted: readonly string[]): Promise<Found> => {
      const urls = allDatabases.map((name) => servers.postgres.url(name));
      const found = await Promise.all([
        findInFiles(wanted, [objects.objects]),
        ...urls.map((url) => findInDatabase(wanted, url)),
      ]);
      return new Map(found.flatMap((each) => [...each]));
    };

    test('continues at the other place, pays for nothing twice, and leaves no word of it anywhere', async () => {
      const first = await open();
      const worker = await startWorker(first);
      const workspace = join(folder, 'elsewhere', 'workspace');
      const started = await run(first, 'run', `Find ${words.goal}.`, '-w', workspace, '--id', id, '--ask', '--no-hold');
      expect(started).toMatchObject({ exitCode: 0 });
      await until(async () => ((await run(first, 'why', id)).stdout.includes(words.question) ? true : undefined));
      expect(await run(first, 'steer', id, `Mind ${words.steering}.`)).toMatchObject({ exitCode: 0 });

      // Everything is in use meanwhile. The store comes last: whatever a history refers to is then in the copy.
      const dumps = join(folder, 'dumps');
      await dumpAll(first.servers.postgres, dumps);
      const second = await open({ dumps, objects: first.objects.objects });
      await worker.kill('SIGKILL');
      await first.temporal.service.stop();

      await startWorker(second);
      expect(await run(second, 'answer', id, `The ${words.reply}.`)).toMatchObject({ exitCode: 0 });
      const followed = await run(second, 'show', id, '--follow');
      expect(followed).toMatchObject({ exitCode: 0 });
      expect(followed.stdout).toContain(words.answer);
      expect(await run(second, 'audit', id)).toMatchObject({ exitCode: 0 });
      // Four turns of the root, and one call for each delegation.
      expect(model.calls.map(({ outcome }) => outcome).filter((outcome) => outcome !== 'answered')).toEqual(['failed']);
      expect(model.calls).toHaveLength(6);

      // A run without encryption shows that words would be found.
      const plain = { ...second, env: { ...second.env, BATON_ENCRYPTION_KEYS: '' } };
      await run(plain, 'run', `Find ${control}.`, '--id', `${id}-plain`);
      await writeFile(join(folder, 'logs', 'worker.log'), logs.map(({ stdout, stderr }) => stdout + stderr).join('\n'));
      await copyServerLogs({ first, second }, join(folder, 'logs'));
      expect((await findIn(second, [control])).get(control)).toBeDefined();
      const secret = Object.values(words);
      const inFiles = await findInFiles(
        secret,
        ['tmp', 'logs', 'dumps'].map((name) => join(folder, name)),
      );
      for (const found of [await findIn(first, secret), await findIn(second, secret), inFiles])
        expect([...found]).toEqual([]);
    }, 600_000);
  },
);

/** Copies what the servers of some places have printed to a folder. Each has printed something. */
async function copyServerLogs(places: Readonly<Record<string, Place>>, to: string): Promise<void> {
  for (const [place, { servers, objects, temporal }] of Object.entries(places)) {
    for (const { name, logFile } of [servers.postgres.service, objects.service, temporal.service]) {
      const log = join(to, `${place} ${name}.log`);
      await copyFile(logFile, log);
      expect([log, (await stat(log)).size > 0]).toEqual([log, true]);
    }
  }
}

/** Dumps Temporal's databases, then the store's. */
async function dumpAll(postgres: Postgres, folder: string): Promise<void> {
  for (const name of allDatabases) await dump(postgres, name, join(folder, name));
}
