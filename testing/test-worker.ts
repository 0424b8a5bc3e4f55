import { registerSearchAttributes } from '../temporal-config/node/search-attributes-setup';
import {
  type BatonWorker,
  type BatonWorkerOptions,
  createAnthropicModel,
  createBatonWorker,
  createOpenAiCompatibleModel,
} from '../worker';
import type { ScriptedModel } from './scripted-model';

/** Options of `createBatonWorker` that a test worker does not choose itself. */
type TestWorkerOptions = Pick<
  BatonWorkerOptions,
  | 'client'
  | 'connection'
  | 'namespace'
  | 'store'
  | 'taskQueue'
  | 'slots'
  | 'roles'
  | 'limits'
  | 'tools'
  | 'mcpServers'
  | 'mcpLimits'
  | 'prompts'
  | 'promptDefaults'
  | 'skills'
  | 'relays'
  | 'approve'
  | 'modelDefaults'
  | 'providers'
  | 'models'
  | 'commands'
  | 'workflowsPath'
  | 'workflowBundlePath'
>;

interface RunningWorker {
  readonly worker: BatonWorker;
  readonly ended: Promise<void>;
}

/** A worker in this process that can be stopped and started again. */
export class TestWorker {
  #running: RunningWorker | undefined;

  constructor(
    private readonly options: TestWorkerOptions,
    private readonly model: Pick<ScriptedModel, 'baseUrl' | 'chatBaseUrl'>,
  ) {}

  async start(): Promise<void> {
    if (this.#running !== undefined) throw new Error('The worker is running already.');
    const worker = await this.create();
    this.#running = { worker, ended: worker.run() };
  }

  /** Shuts the worker down and waits until it has stopped. Does nothing if it is not running. */
  async stop(): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    this.#running = undefined;
    running.worker.shutdown();
    await running.ended;
  }

  private async create(): Promise<BatonWorker> {
    const { client, namespace } = this.options;
    const { missing, conflicts } = await registerSearchAttributes(client.connection, namespace);
    return createBatonWorker({
      ...this.options,
      providers: {
        anthropic: createAnthropicModel({ apiKey: 'scripted', baseUrl: this.model.baseUrl }),
        openai: createOpenAiCompatibleModel({ baseUrl: this.model.chatBaseUrl }),
        ...this.options.providers,
      },
      searchAttributes: missing.length === 0 && conflicts.length === 0,
      // Otherwise runs would wait ten seconds for a worker that a test has stopped.
      stickyTimeoutMs: 1_000,
    });
  }
}
