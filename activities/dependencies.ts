import type { Client } from '@temporalio/client';
import type {
  Message,
  ModelCapabilities,
  ModelCatalog,
  ModelPreferences,
  ModelSettings,
  ReplyBlock,
  StopReason,
  Usage,
} from '../domain/model';
import type { Redact } from '../domain/kernel';
import type { ProviderReport } from '../domain/limit';
import type { PromptDefinition } from '../domain/prompt';
import type { RelayLoader } from '../domain/relay';
import type { SkillLoader } from '../domain/skill';
import type { OutputFormat } from '../domain/prompt/output';
import { type RunPlace, type RunStore, type Store, type StoreLocation } from '../domain/store';
import type { ApprovalRule, ToolDescription } from '../domain/tool';
import type { TranscriptCache } from '../store/transcript/cache';
import type { TreeCache } from '../store/workspace/trees';
import type { LoadedPrompts } from './agent/loaded-prompts';
import type { Commands } from './command/commands';
import type { DelegatingAgents } from './delegation/delegating-agent';
import type { McpServers } from './mcp/servers';
import type { SessionSender } from './session/session-sender';
import type { Tool } from './tool/define-tool';
import type { WorkspaceOptions } from './workspace/import-limits';

/** Everything that activities depend on. The worker provides it. */
export interface ActivityDependencies {
  readonly store: Store;
  readonly model: ModelPort;
  readonly tools: readonly Tool[];
  /** Prompts that agents may dispatch. */
  readonly prompts: readonly PromptDefinition[];
  /** Loads the skills that agents may dispatch. Called when a run starts, which pins them. Default: no skills. */
  readonly skills?: SkillLoader;
  /** Loads the relays that can be started by name. Default: no relays. */
  readonly relays?: RelayLoader | undefined;
  /** Model of runs that don't specify all of its settings. Default: Baton's defaults. */
  readonly modelDefaults?: ModelPreferences | undefined;
  /** Context windows and prices of models that Baton does not know. Runs pin them when they start. Default: none. */
  readonly models?: ModelCatalog | undefined;
  /** Patterns of models whose turns have a task queue of their own. Runs pin them when they start. Default: none. */
  readonly limitedModels?: readonly string[] | undefined;
  /** MCP servers whose tools agents may be granted. Default: none. */
  readonly mcp?: McpServers | undefined;
  /** Calls that an operator has to approve in every run that this worker opens. Default: none. */
  readonly approve?: readonly ApprovalRule[] | undefined;
  /** Client for waiting on delegations that an earlier execution started, and for writing to shared sessions. */
  readonly client: Client;
  /** Whether the namespace has Baton's search attributes. */
  readonly searchAttributes: boolean;
  /** What may be mounted as a workspace. Default: the defaults of `WorkspaceOptions`. */
  readonly workspace?: WorkspaceOptions | undefined;
  /** Removes secrets from texts. Default: `redactSecrets`. */
  readonly redact?: Redact | undefined;
  /** Runs the commands of agents that were granted them. Default: commands can't be granted. */
  readonly commands?: Commands | undefined;
  /** Returns the server and namespace that this worker polls; undefined if the server does not tell it. */
  readonly place: () => Promise<RunPlace | undefined>;
}

/** Dependencies plus the caches that all activities of a worker share. */
export interface SharedDependencies extends ActivityDependencies {
  /** The store for content that is written once and rarely read, which would only displace the rest of the cache. */
  readonly uncachedStore: Store;
  readonly transcriptCache: TranscriptCache;
  readonly treeCache: TreeCache;
  readonly delegatingAgents: DelegatingAgents;
  readonly briefings: LoadedPrompts;
  readonly sessionSender: SessionSender;
  /** Makes everything durable that the current activity has written. */
  flush(): Promise<void>;
}

/** Returns the run's part of the store. `inRightStore` has made sure that it is there. */
export function runStoreFor(store: Store, { runId }: StoreLocation): RunStore {
  return store.forRun(runId);
}

/** One request to a model. */
export interface ModelRequest {
  /** Model name, maximum output tokens, temperature and context window. */
  readonly settings: ModelSettings;
  /** The system prompt. */
  readonly system: string;
  /** Tools that the model may call. */
  readonly tools: readonly ToolDescription[];
  /** The conversation, in alternating roles. Every tool call has its result in the next message. */
  readonly messages: readonly Message[];
  /**
   * Required output format of the final message. Optional help: the prompt describes the format, and the engine checks
   * it. An adapter may use stop sequences or the provider's structured output.
   */
  readonly output?: OutputFormat | undefined;
  /** The model must not call tools. They stay in `tools`, because earlier messages refer to them. */
  readonly toolChoice?: 'none' | undefined;
  /**
   * Called with every part of the reply as soon as it has arrived, for people who watch. Optional help: a port that can't
   * stream does not call it. It never throws, and the reply that counts is the returned one.
   */
  readonly onPart?: ((part: ReplyPart) => void) | undefined;
  /**
   * Called with what the provider says about its limits, such as the requests that are left in this minute, also when it
   * refuses the request. Optional help: a port whose provider says nothing does not call it. It never throws.
   */
  readonly onLimits?: ((report: ProviderReport) => void) | undefined;
}

/** A part of a reply while it arrives: more of a text or of the thinking, or the beginning of a tool call. */
export type ReplyPart =
  { readonly type: 'text' | 'thinking'; readonly text: string } | { readonly type: 'toolCall'; readonly name: string };

/**
 * Whether the providers of all these models enforce a format by themselves, so that the prompt need not describe it: the
 * model of an agent, and those that may take over.
 */
export function isNative(
  { nativeStructuredOutput: native }: ModelPort,
  output: OutputFormat,
  ...models: readonly string[]
): boolean {
  return typeof native === 'boolean' ? native : models.every((name) => native(output, name));
}

/** One reply of a model. */
export interface ModelAnswer {
  /**
   * The reply: texts, thinking and tool calls in the order in which the model wrote them. A block may have `provider`
   * data, for example a signature, and an `opaque` block consists of nothing else. Both are stored, and sent back to
   * the same provider unchanged.
   */
  readonly content: readonly ReplyBlock[];
  /** Why the reply ended: `done`, `toolCalls`, `outputLimit` and others; `other` for a reason without a neutral name. */
  readonly stopReason: StopReason;
  /** Tokens of all requests that this reply took. */
  readonly usage: Usage;
  /** Usage of the last request alone, when the reply took several. It shows how full the context window is. */
  readonly lastUsage?: Usage;
  /** Name of the model that replied, as the provider reports it. */
  readonly model: string;
}

/**
 * Connects a provider of models. Pass your own as the worker option `model`, for example to use another provider or a
 * proxy.
 *
 * Rules: requests and replies consist of neutral blocks, and the port translates them. Provider data and opaque blocks
 * that it returned are in the messages of later requests, for as long as a model of the same provider continues the
 * conversation. A failed call throws an `ApplicationFailure` with one of Baton's `Model.*` types, and with `nonRetryable`
 * where a retry can't help. Temporal retries calls, so the adapter itself must not. Stop working when `signal` is
 * aborted.
 *
 * @example
 * ```ts
 * import { createAnthropicModel, type ModelPort } from 'baton-agents/worker';
 *
 * const provider = createAnthropicModel({ apiKey: process.env['ANTHROPIC_API_KEY'] });
 *
 * export const loggingModel: ModelPort = {
 *   nativeStructuredOutput: provider.nativeStructuredOutput,
 *   async reply(request, signal) {
 *     const answer = await provider.reply(request, signal);
 *     console.error(`${answer.model}: ${answer.usage.output} output tokens`);
 *     return answer;
 *   },
 *   countTokens: (request, signal) => provider.countTokens(request, signal),
 * };
 * ```
 */
export interface ModelPort {
  /**
   * Whether the provider itself makes the model answer in a format: always, never, or depending on the format. Where it
   * does not, prompts describe the format in text.
   */
  readonly nativeStructuredOutput: boolean | ((output: OutputFormat, modelName: string) => boolean);
  /**
   * What the provider of a model can do. Default: everything. What it can't is reported when a run starts, and the engine
   * replaces it.
   */
  capabilities?(modelName: string): ModelCapabilities;
  /**
   * Checks that the worker can call a model, without calling it. Called when an agent is opened. If this throws, the run
   * fails at its start. Default: every model is accepted.
   */
  check?(modelName: string): Promise<void>;
  /** Returns the model's reply to a request. Called at least once per turn. The engine journals the result. */
  reply(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer>;
  /** Counts the input tokens of a request, cached ones included. Called only when the request might exceed a limit. */
  countTokens(request: ModelRequest, signal: AbortSignal): Promise<number>;
}
