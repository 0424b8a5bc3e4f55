import { join } from 'node:path';
import { createGate, say, useTool } from '../../testing/scripted-model';
import { Stand } from '../cli/support/stand';
import { describeWithPostgres, startStoreServers, type StoreServers } from '../support/stores';
import { until } from '../support/until';

describeWithPostgres('a run whose store is replaced while it runs', () => {
  let servers: StoreServers;
  let stand: Stand;
  beforeAll(async () => {
    servers = await startStoreServers();
    stand = await Stand.start(() => say('no script'), { withWorker: false });
  });
  afterAll(async () => {
    await stand.close();
    await servers.close();
  });

  test('continues with the new one, waits on workers with the old one, and pays for nothing twice', async () => {
    const [old, recent] = [`file:${join(stand.folder, 'old')}`, await servers.newDatabase()];
    const gate = createGate();
    stand.model.setScript(async (call) => {
      if (call.turn === 2) await gate.opened;
      return call.turn < 3 ? useTool('add_note', { text: `Note ${call.turn}` }) : say('Three notes are taken.');
    });
    await stand.startWorker({ BATON_STORE: old });
    const id = stand.newId();
    expect(await stand.batonWith({ BATON_STORE: old }, 'run', 'Take notes', '--id', id)).toMatchObject({ exitCode: 0 });
    await stand.model.waitForCall(2);
    await stand.stopWorker();

    const moved = await stand.batonWith({ BATON_STORE: old }, 'store', 'copy', old, recent, '--move');
    expect(moved).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('1 run moved and verified') as string });
    gate.open();
    await stand.startWorker({ BATON_STORE: old });
    const why = await until(async () => {
      const { stdout } = await stand.batonWith({ BATON_STORE: recent }, 'why', id);
      return stdout.includes('Store.Other') ? stdout : undefined;
    });
    expect(why).toContain('Set the same `BATON_STORE` for the worker');
    await stand.stopWorker();

    await stand.startWorker({ BATON_STORE: recent });
    const shown = await stand.batonWith({ BATON_STORE: recent }, 'show', id, '--follow');
    expect(shown).toMatchObject({ exitCode: 0 });
    expect(shown.stdout).toContain('Three notes are taken.');
    // Only the call that was interrupted is repeated.
    expect(stand.model.calls.map(({ outcome }) => outcome)).toEqual([
      'answered',
      'answered',
      'aborted',
      'answered',
      'answered',
    ]);
    expect(await stand.batonWith({ BATON_STORE: recent }, 'audit', id)).toMatchObject({ exitCode: 0 });
  });
});
