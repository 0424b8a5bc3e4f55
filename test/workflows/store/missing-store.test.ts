import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createGate, say } from '../../../testing/scripted-model';
import { requireStoreOfOpenRuns } from '../../../worker/worker-store';
import { Harness } from '../../support/harness';
import { until } from '../../support/until';

test('a worker refuses to create a new store while runs are open that have data in another one', async () => {
  const gate = createGate();
  const harness = await Harness.start(async () => {
    await gate.opened;
    return say('Done.');
  });
  try {
    const { client, taskQueue } = harness;
    const unmounted = join(harness.folder, 'unmounted');
    await mkdir(unmounted);
    const settings = (folder: string, queue = taskQueue) => ({
      taskQueue: queue,
      store: { address: `file:${folder}`, shown: folder },
    });
    // Nobody has opened a run yet, so nothing is amiss.
    await requireStoreOfOpenRuns(client, settings(unmounted));
    const handle = await harness.startRun({});
    const refusal = await until(() =>
      requireStoreOfOpenRuns(client, settings(unmounted)).then(
        () => undefined,
        (error: unknown) => error,
      ),
    );
    expect(refusal).toMatchObject({
      message: expect.stringContaining(`${unmounted} is not a store, but the data of open runs`) as string,
      remedy: expect.stringContaining('Mount the volume') as string,
    });
    await requireStoreOfOpenRuns(client, settings(join(harness.folder, 'store')));
    await requireStoreOfOpenRuns(client, settings(unmounted, 'another-queue'));
    gate.open();
    await handle.result();
  } finally {
    await harness.close();
  }
});
