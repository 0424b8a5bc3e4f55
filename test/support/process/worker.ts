import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, makeTelemetryFilterString, NativeConnection, Runtime } from '@temporalio/worker';
import { createAnthropicModel } from '../../../activities/model/anthropic-model';
import type { ModelPort } from '../../../activities/dependencies';
import { createModelRouter } from '../../../activities/model/model-router';
import { createOpenAiCompatibleModel } from '../../../activities/model/providers/openai-compatible-model';
import type { RunStore, Store } from '../../../domain/store';
import { type FileSystem, realFiles } from '../../../store/file/disk';
import { openFileStore } from '../../../store/file/open-file-store';
import { createBatonWorker } from '../../../worker/create-worker';
import { bookingTool } from '../booking';
import { workflowBundle } from '../paths';
import type { WorkerFaults } from '../worker-process';
import { dyingAtRecord } from './dying-store';
import { interrupted, losingAnswers } from './faulty-client';

/** A worker in a process that can be killed, optionally at a chosen moment. */
interface WorkerPlan extends WorkerFaults {
  readonly address: string;
  readonly taskQueue: string;
  readonly storeDir: string;
  readonly modelUrl: string;
  readonly chatUrl: string;
}

function dying(store: Store, answers: number): Store {
  let left = answers;
  const wrap = (run: RunStore): RunStore => ({
    runId: run.runId,
    put: (bytes, mediaType, options) => run.put(bytes, mediaType, options),
    get: (ref, neededBy) => run.get(ref, neededBy),
    has: (ref) => run.has(ref),
    find: (key) => run.find(key),
    flush: () => run.flush(),
    entries: (kind) => run.entries(kind),
    verify: () => run.verify(),
    async putIfAbsent(key, bytes, options) {
      const winner = await run.putIfAbsent(key, bytes, options);
      // Prompt records are journaled too, but are not replies.
      if (key.startsWith('answer/')) left -= 1;
      if (left === 0) process.kill(process.pid, 'SIGKILL');
      return winner;
    },
  });
  return {
    id: store.id,
    checkWritable: () => store.checkWritable(),
    forRun: (id) => wrap(store.forRun(id)),
    listRuns: () => store.listRuns(),
    deleteRun: (id, confirm) => store.deleteRun(id, confirm),
  };
}

/** A model and a file system that kill the process at a chosen call to the file system after the first reply. */
function dyingAt(call: number, model: ModelPort): { readonly model: ModelPort; readonly files: FileSystem } {
  let left = Number.POSITIVE_INFINITY;
  // What shows people a reply while it arrives: whether and when it is written depends on how long the reply takes.
  const uncounted: readonly (keyof FileSystem)[] = ['writeFile', 'rename', 'mkdir'];
  const files = new Proxy(realFiles, {
    get: (real, name: keyof FileSystem) => {
      if (uncounted.includes(name)) return real[name];
      if (left === 0) process.kill(process.pid, 'SIGKILL');
      left -= 1;
      return real[name];
    },
  });
  const reply: ModelPort['reply'] = async (request, signal) => {
    const answer = await model.reply(request, signal);
    left = call;
    return answer;
  };
  return { model: { ...model, reply }, files };
}

function faulty(client: Client, { losesAnswers, atUpdate }: WorkerFaults): Client {
  if (atUpdate !== undefined) return interrupted(client, atUpdate);
  return losingAnswers(client, () => losesAnswers === true);
}

async function main(plan: WorkerPlan): Promise<void> {
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) } },
  });
  const sound = createModelRouter({
    anthropic: createAnthropicModel({ apiKey: 'scripted', baseUrl: plan.modelUrl }),
    openai: createOpenAiCompatibleModel({ baseUrl: plan.chatUrl }),
  });
  const { model, files } =
    plan.dieAtCall === undefined ? { model: sound, files: realFiles } : dyingAt(plan.dieAtCall, sound);
  const opened = await openFileStore(plan.storeDir, { files });
  const store = plan.dieAtRecord === undefined ? opened : dyingAtRecord(opened, plan.dieAtRecord);
  const client = new Client({ connection: await Connection.connect({ address: plan.address }) });
  const worker = await createBatonWorker({
    connection: await NativeConnection.connect({ address: plan.address }),
    client: faulty(client, plan),
    namespace: 'default',
    taskQueue: plan.taskQueue,
    store: plan.dieAfterAnswers === undefined ? store : dying(store, plan.dieAfterAnswers),
    model,
    searchAttributes: true,
    stickyTimeoutMs: 500,
    ...(plan.pollers === undefined ? {} : { pollers: plan.pollers }),
    ...(plan.commands === undefined ? {} : { commands: plan.commands }),
    ...(plan.limits === undefined ? {} : { limits: plan.limits }),
    workflowBundlePath: workflowBundle.codePath,
    ...(plan.bookingUrl === undefined ? {} : { tools: [bookingTool(plan.bookingUrl)] }),
    mcpServers: plan.mcpServers ?? {},
  });
  const running = worker.run();
  process.send?.('ready');
  await running;
  process.exit(0);
}

void main(JSON.parse(process.argv[2] ?? '{}') as WorkerPlan);
