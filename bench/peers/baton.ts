// Baton as a system beside the others: a worker with one tool, a store in files, and otherwise the defaults.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { createAnthropicModel } from '../../activities/model/anthropic-model';
import { defineTool } from '../../activities/tool/define-tool';
import { defaultLimits, type RunInput } from '../../domain/agent';
import { runWorkflowId } from '../../domain/kernel';
import { openFileStore } from '../../store/file/open-file-store';
import { connectClient } from '../../temporal-config/node/connect-client';
import { connectWorker } from '../../temporal-config/node/connect-worker';
import { devServerConnection } from '../../temporal-config/node/connection';
import { silenceWorkers } from '../../testing/quiet-runtime';
import { playRun } from '../support/runs';
import { batonWorker } from '../support/workers';
import type { Place, System } from './system';
import { delegationGoal, makeNoise, noiseTool } from './work';

/** A context window that nothing exceeds: the others have none either. */
const model = { name: 'claude-sonnet-5-5', maxTokens: 30_000, window: 100_000_000 };
const limits = { ...defaultLimits, maxTurns: 10_000, maxChildren: 1_000 };

export async function open(place: Place): Promise<System> {
  silenceWorkers();
  const target = devServerConnection({ address: place.temporal, namespace: 'default', uiUrl: '' });
  const { client, close } = await connectClient(target);
  const connection = await connectWorker(target);
  const storeDir = join(place.folder, 'store');
  const store = await openFileStore(storeDir);
  const scripted = createAnthropicModel({ apiKey: 'scripted', baseUrl: place.model.messages });
  const worker = await batonWorker({ client, connection, store, model: scripted }, { tools: [toolIn(place.folder)] });
  const ended = worker.run();
  const play = async (input: Pick<RunInput, 'runId' | 'goal'>): Promise<void> => {
    await playRun({ client }, { ...input, model, limits });
  };
  const handleOf = (id: string) => client.workflow.getHandle(runWorkflowId(id));
  return {
    run: (id, goal) => play({ runId: id, goal }),
    delegate: (id, children) => play({ runId: id, goal: delegationGoal(children) }),
    async finish(id) {
      await handleOf(id).result();
    },
    async stored(id) {
      return { history: (await handleOf(id).describe()).historySize ?? 0, files: await bytesBelow(storeDir) };
    },
    async close() {
      worker.shutdown();
      await ended;
      await connection.close();
      await close();
    },
  };
}

const toolIn = (folder: string) =>
  defineTool({
    name: noiseTool.name,
    id: 'bench/peers/make_noise@1',
    description: noiseTool.description,
    parameters: z.strictObject({ seed: z.int(), bytes: z.int(), waits: z.boolean() }),
    success: 'A text.',
    cost: 'None.',
    // All others repeat every tool whose worker has died.
    safeToRepeat: true,
    run: async (input) => ({ message: await makeNoise(input, folder) }),
  });

async function bytesBelow(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const sizes = await Promise.all(
    files.map((file) =>
      stat(file)
        .then(({ size }) => size)
        .catch(() => 0),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
