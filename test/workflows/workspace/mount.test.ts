import { NativeConnection } from '@temporalio/worker';
import { join } from 'node:path';
import { agentLine } from '../../../cli/delegation/draw-tree';
import { diagnose, filesQuery } from '../../../client';
import { DetailsReader, readTree } from '../../../client/delegation/read-tree';
import { outcomeOf } from '../../../client/agent/outcome';
import { owningRunId } from '../../../domain/kernel';
import type { RunStore, Store } from '../../../domain/store';
import { say } from '../../../testing/scripted-model';
import { type BatonWorkerOptions, createAnthropicModel, createBatonWorker } from '../../../worker';
import { addFiles, paths } from '../../store/workspace/support';
import { Harness, testAddress } from '../../support/harness';
import { workflowBundle } from '../../support/paths';
import { until } from '../../support/until';

const files = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`d${n % 4}/f${n}.txt`, `content ${n}\n`]));

describe('mounting a folder', () => {
  let harness: Harness;
  let connection: NativeConnection;
  let root: string;
  beforeAll(async () => {
    harness = await Harness.start(() => say('Done.'), { withWorker: false });
    connection = await NativeConnection.connect({ address: testAddress() });
    root = join(harness.folder, 'project');
    await addFiles(root, files);
  });
  afterAll(async () => {
    await harness.close();
    await connection.close();
  });

  async function withWorker(
    options: Pick<BatonWorkerOptions, 'workspace'> & { readonly store?: Store },
    work: () => Promise<void>,
  ): Promise<void> {
    const { client, store, taskQueue } = harness;
    const model = createAnthropicModel({ apiKey: 'scripted', baseUrl: harness.model.baseUrl });
    const workflowBundlePath = workflowBundle.codePath;
    const fixed = { connection, client, namespace: 'default', taskQueue, model, workflowBundlePath };
    const worker = await createBatonWorker({ ...fixed, store, stickyTimeoutMs: 500, ...options });
    await worker.runUntil(work);
  }

  test('shows how far it is, wherever somebody looks', async () => {
    const held = holdAfter(harness.store, 20);
    await withWorker({ store: held.store }, async () => {
      const { workflowId } = await harness.startRun({ workspace: { root } });
      const expected = /importing the workspace: (1\d|20) of 40 files, \d+ B of 430 B/;
      try {
        await until(async () => expected.test((await diagnose(harness.client, workflowId)).message) || undefined);
        const node = await readTree(harness.client, workflowId);
        const details = await new DetailsReader(harness.client).read([node]);
        expect(agentLine(node, details.get(workflowId))).toMatch(expected);
      } finally {
        held.release();
      }
      expect(await outcomeOf(harness.client, owningRunId(workflowId))).toMatchObject({ kind: 'completed' });
    });
  });

  test('is refused above a limit with the setting that raises it, and works when that is raised', async () => {
    await withWorker({ workspace: { maxEntries: 43 } }, async () => {
      const { workflowId } = await harness.startRun({ workspace: { root } });
      expect(await outcomeOf(harness.client, owningRunId(workflowId))).toMatchObject({
        kind: 'failed',
        type: 'Input.Invalid',
        message: expect.stringMatching(/more than 43 files and folders.*BATON_WORKSPACE_MAX_ENTRIES/) as string,
      });
    });
    await withWorker({ workspace: { maxEntries: 44 } }, async () => {
      const { workflowId } = await harness.startRun({ workspace: { root } });
      expect(await outcomeOf(harness.client, owningRunId(workflowId))).toMatchObject({ kind: 'completed' });
    });
  });

  test('leaves out files with credentials unless the worker includes them', async () => {
    const project = join(harness.folder, 'with-secrets');
    await addFiles(project, { kubeconfig: 'token', '.env.test': 'A=1', 'a.txt': 'a' });
    await withWorker({ workspace: { include: ['.env.test'] } }, async () => {
      const { workflowId } = await harness.startRun({ workspace: { root: project } });
      await outcomeOf(harness.client, owningRunId(workflowId));
      const { workspace } = await harness.client.workflow.getHandle(workflowId).query(filesQuery);
      const store = harness.store.forRun(owningRunId(workflowId));
      expect(await paths(store, workspace!.root)).toEqual(['.env.test', 'a.txt']);
    });
  });
});

/** A store in which every write after the first ones waits until it is released. */
function holdAfter(store: Store, writes: number): { readonly store: Store; release(): void } {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let left = writes;
  const hold = (run: RunStore): RunStore => ({
    runId: run.runId,
    get: (ref, neededBy) => run.get(ref, neededBy),
    has: (ref) => run.has(ref),
    find: (key) => run.find(key),
    flush: () => run.flush(),
    entries: (kind) => run.entries(kind),
    verify: () => run.verify(),
    putIfAbsent: (key, bytes, options) => run.putIfAbsent(key, bytes, options),
    async put(bytes, mediaType, options) {
      const isFile = Buffer.from(bytes).toString('utf8').startsWith('content ');
      if (isFile && (left -= 1) < 0) await released;
      return run.put(bytes, mediaType, options);
    },
  });
  return {
    store: {
      id: store.id,
      forRun: (id) => hold(store.forRun(id)),
      checkWritable: () => store.checkWritable(),
      listRuns: () => store.listRuns(),
      deleteRun: (id) => store.deleteRun(id),
    },
    release: () => {
      release();
    },
  };
}
