import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createGate, say, useTool } from '../../testing/scripted-model';
import type { ObjectStore } from '../../scripts/cluster/services/object-store';
import { Stand } from '../cli/support/stand';
import { describeWithBuckets, newPrefix, startBuckets, startStoreServers, type StoreServers } from '../support/stores';

describeWithBuckets('a run with a store on the network', () => {
  let servers: StoreServers;
  let buckets: ObjectStore;
  let stand: Stand;
  beforeAll(async () => {
    [servers, buckets] = await Promise.all([startStoreServers(), startBuckets()]);
    stand = await Stand.start(() => say('no script'), { withWorker: false });
  });
  afterAll(async () => {
    await stand.close();
    await buckets.close();
    await servers.close();
  });

  test.each(['PostgreSQL', 'S3 and PostgreSQL'])(
    'on %s survives the death of its worker, is paid for once, and can be read, audited, copied and deleted',
    async (kind) => {
      const database = await servers.newDatabase();
      const address = kind === 'PostgreSQL' ? database : newPrefix(buckets, buckets.endpoint, database);
      const env = { BATON_STORE: address };
      const from = stand.model.calls.length;
      const gate = createGate();
      stand.model.setScript(async (call) => {
        if (call.turn === 2 && call.attempt === 0) await gate.opened;
        return call.turn < 3 ? useTool('list_files', {}) : say('All done. '.repeat(100));
      });
      const first = await stand.startWorker(env);
      const id = stand.newId();
      const run = stand.batonWith(
        env,
        'run',
        'Look around',
        '--id',
        id,
        '-w',
        join(stand.folder, 'workspace'),
        '--follow',
      );
      await stand.model.waitForCall(from + 2);
      await first.kill('SIGKILL');
      gate.open();
      await stand.startWorker(env);
      expect(await run).toMatchObject({ exitCode: 0 });
      const outcomes = stand.model.calls.slice(from).map(({ outcome }) => outcome);
      expect(outcomes).toEqual(['answered', 'answered', 'aborted', 'answered', 'answered']);

      const audit = await stand.batonWith(env, 'audit', id);
      expect(audit).toMatchObject({ exitCode: 0 });
      const transcript = await stand.batonWith(env, 'transcript', id);
      expect(transcript.stdout).toContain('All done. All done.');
      const doctor = await stand.batonWith(env, 'doctor');
      expect(doctor.stdout).toMatch(/✓ Store: (postgres|s3):\/\/[^\n]*, 1 run, id /);
      expect(doctor.stdout + doctor.stderr).not.toContain(servers.postgres.password);

      const folder = join(stand.folder, `copy-${kind.length}`);
      const copied = await stand.batonWith(env, 'store', 'copy', address, `file:${folder}`, '--json');
      expect(JSON.parse(copied.stdout)).toMatchObject({ runs: [{ runId: id }] });
      const again = await stand.batonWith({ BATON_STORE: `file:${folder}` }, 'list', '--store', '--json');
      expect(again.stdout).toContain(id);
      await rm(folder, { recursive: true });

      await stand.stopWorker();
      const deleted = await stand.batonWith(env, 'gc', id, '--yes', '--json');
      expect(JSON.parse(deleted.stdout)).toMatchObject({ deleted: true, runs: [{ runId: id }] });
      expect((await stand.batonWith(env, 'store', 'migrate', '--json')).stdout).toContain('"to":1');
    },
  );
});
