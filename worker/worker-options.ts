import type { Client } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import type { ModelPort } from '../activities/dependencies';
import type { McpLimits } from '../activities/mcp/servers';
import type { Tool } from '../activities/tool/define-tool';
import type { WorkspaceOptions } from '../activities/workspace/import-limits';
import type { McpServerEntry } from '../domain/mcp';
import type { ModelLimits } from '../domain/limit';
import type { ModelCatalog, ModelPreferences } from '../domain/model';
import type { PromptDefaults, PromptDefinition } from '../domain/prompt';
import type { RelayDefinition, RelayLoader } from '../domain/relay';
import type { SkillDefinition, SkillLoader } from '../domain/skill';
import type { Store } from '../domain/store';
import type { ApprovalRule } from '../domain/tool';
import type { WorkerPollers, WorkerRole, WorkerSlots } from '../temporal-config/task-queues';
import type { CommandOptions } from './open-commands';
import type { RedactSettings } from './redact';
import type { Traces } from './trace/telemetry';

/** Options of `BatonPlugin`. All workers of a task queue must have the same store, tools, prompts and slices. */
export interface BatonPluginOptions {
  /**
   * Client with a separate connection, for example from `connectClient`. Activities use it to write to shared sessions
   * and to wait for delegations that an earlier execution started. The caller closes it.
   */
  readonly client: Client;
  /** Store for prompts, transcripts, files and results, for example from `openStore`. */
  readonly store: Store;
  /**
   * Provider of models, for example from `createAnthropicModel`. It serves every model that no prefix in `providers` names.
   * Default: only models of `providers` can be used.
   */
  readonly model?: ModelPort;
  /**
   * Providers by the prefix of their models: `openai` serves `openai:gpt-5`, which it receives as `gpt-5`. Default: none.
   */
  readonly providers?: Readonly<Record<string, ModelPort>>;
  /**
   * How many model calls, tools, other activities and workflow tasks run at the same time. Default: 100, 100, 100 and
   * 40. What is omitted keeps its default.
   */
  readonly slots?: Partial<WorkerSlots>;
  /** Task queue of the runs, if the worker polls only another one of their queues, because of its roles. Default: its own. */
  readonly runQueue?: string;
  /**
   * What this worker does: `agents` (workflow tasks), `models` (turns), `tools`, `control` (everything else). Default: all.
   * Every role needs at least one worker of the task queue.
   */
  readonly roles?: readonly WorkerRole[];
  /** How many requests for tasks are kept open. Default: the SDK's. */
  readonly pollers?: WorkerPollers;
  /** Threads that run workflow code. Default: the SDK's, 1. */
  readonly workflowThreads?: number;
  /**
   * What providers allow, by pattern of model names: requests per minute of all workers together, tokens per minute and
   * concurrent requests of this worker. Default: no limits. All workers of a task queue must have the same patterns.
   *
   * @example `{ 'claude-*': { requestsPerMinute: 50, tokensPerMinute: 80_000 } }`
   */
  readonly limits?: ModelLimits;
  /** Tools in addition to the built-in ones. Default: none. A name that is used twice is an error. */
  readonly tools?: readonly Tool[];
  /**
   * MCP servers by name, as in the file `.mcp.json`. Default: none. Agents may use them only if their run, prompt or skill
   * grants it. They are started when they are first used, and stopped when the worker ends.
   */
  readonly mcpServers?: Readonly<Record<string, McpServerEntry>>;
  /** Limits of these servers. What is omitted keeps its default. */
  readonly mcpLimits?: McpLimits;
  /**
   * Prompts that agents may dispatch, in addition to the built-in ones. Default: none. A run pins them when it starts.
   */
  readonly prompts?: readonly PromptDefinition[];
  /**
   * Values for parameters of these prompts, by prompt (`ns/key`) and name of the parameter. Default: none. A prompt with a
   * required parameter can be dispatched only if the parameter has a value here, in the run's input or from its parent.
   */
  readonly promptDefaults?: PromptDefaults;
  /**
   * Skills that agents may dispatch. Default: none. A function is called whenever a run starts, so that new skill files
   * are found without a restart. A run pins the skills it starts with.
   */
  readonly skills?: readonly SkillDefinition[] | SkillLoader;
  /** Relays that a client can start by name. Default: none. A function is called whenever such a relay starts. */
  readonly relays?: readonly RelayDefinition[] | RelayLoader;
  /**
   * Model of runs that don't specify all of its settings, such as those that a client in another language starts with
   * nothing but a goal. Default: Baton's defaults.
   */
  readonly modelDefaults?: ModelPreferences;
  /**
   * Context windows and prices of models that Baton does not know, by name. Default: none. A run pins them when it starts;
   * what the client that started it knows takes precedence.
   */
  readonly models?: ModelCatalog;
  /**
   * Whether the namespace has Baton's search attributes. Default: false. Runs work without them but can't be found by
   * status.
   */
  readonly searchAttributes?: boolean;
  /** Path of a prebuilt workflow bundle. Default: the bundle that is part of Baton's build. */
  readonly workflowBundlePath?: string;
  /**
   * Path of a workflow entry with a project's own slices, which exports everything that `createWorkflows` returns.
   * Default: Baton's own workflows. It is bundled when the worker starts, and takes precedence over
   * `workflowBundlePath`.
   */
  readonly workflowsPath?: string;
  /**
   * Secrets to remove from failures, in addition to what looks like one: bearer tokens, keys of well-known providers,
   * JSON Web Tokens, private keys, passwords in addresses. Default: none.
   */
  readonly redact?: RedactSettings;
  /**
   * Calls that an operator has to approve in every run that this worker opens. Default: none. Runs, prompts and skills
   * can add rules, but not remove these.
   *
   * @example `[{ tool: 'run_command', when: '^git push', reason: 'It publishes.' }]`
   */
  readonly approve?: readonly ApprovalRule[];
  /** What may be mounted as a workspace: its maximum size, and files that are otherwise left out. */
  readonly workspace?: WorkspaceOptions;
  /**
   * Commands that agents run, if a run or a skill grants them: the sandbox, the folder for copies of workspaces, and
   * limits. Default: in a sandbox of bubblewrap if the machine has it, else not at all.
   */
  readonly commands?: CommandOptions;
  /**
   * Worker Deployment that the worker belongs to, and its version; without `buildId`, a short hash of the workflow code.
   * Runs stay on the version that they began with until they hand off. A worker with `workflowsPath` needs a `buildId`, and
   * `workerDeploymentOptions` of a worker come first. Default: no versioning.
   */
  readonly deployment?: { readonly name: string; readonly buildId?: string | undefined };
  /**
   * Milliseconds that activities may take to end after the worker was told to stop. After that, they are aborted and other
   * workers repeat them. Default: 0.
   */
  readonly shutdownGraceMs?: number;
  /** Milliseconds that a workflow waits for its previous worker before another worker takes it. Default: the SDK's. */
  readonly stickyTimeoutMs?: number;
  /**
   * How many open workflows the worker keeps in memory: 0, or at least 2. Default: about 600 per GiB of the process's heap
   * limit. One that is not kept costs nothing while it waits, and its history is fetched and replayed when it continues.
   */
  readonly cachedWorkflows?: number;
  /**
   * Traces this worker's work, for example from `traceTo`. Default: off. A prebuilt bundle must contain
   * `traces.workflowModules`.
   */
  readonly traces?: Traces;
}

/** Options of `createBatonWorker`. */
export interface BatonWorkerOptions extends BatonPluginOptions {
  /** Connection over which the worker polls, for example from `connectWorker`. The caller closes it. */
  readonly connection: NativeConnection;
  /** Temporal namespace of the runs. */
  readonly namespace: string;
  /**
   * Task queue of the runs. Default: `baton`. The worker also polls the queues `<taskQueue>-tools` and
   * `<taskQueue>-control`.
   */
  readonly taskQueue?: string;
}
