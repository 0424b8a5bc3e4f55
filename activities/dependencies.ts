import type { Client } from '@temporalio/client';
import type { PromptDefinition } from '../domain/prompt';
import type { SkillLoader } from '../domain/skill';
import { WrongStoreError } from '../domain/store/errors';
import type { RunStore, Store } from '../domain/store/store';
import type { TranscriptCache } from '../store/transcript/cache';
import type { TreeCache } from '../store/workspace/trees';
import type { LoadedPrompts } from './agent/loaded-prompts';
import type { DelegatingAgents } from './delegation/delegating-agent';
import type { StoreLocation } from './interface';
import type { ModelPort } from './ports';
import type { SessionSender } from './session/session-sender';
import type { Tool } from './tool/define-tool';

/** Everything that activities depend on. The worker provides it. */
export interface ActivityDependencies {
  readonly store: Store;
  readonly model: ModelPort;
  readonly tools: readonly Tool[];
  /** Prompts that agents may dispatch. */
  readonly prompts: readonly PromptDefinition[];
  /** Loads the skills that agents may dispatch. Called when a run starts, which pins them. Default: no skills. */
  readonly skills?: SkillLoader;
  /** Client for waiting on delegations that an earlier execution started, and for writing to shared sessions. */
  readonly client: Client;
  /** Whether the namespace has Baton's search attributes. */
  readonly searchAttributes: boolean;
}

/** Dependencies plus the caches that all activities of a worker share. */
export interface SharedDependencies extends ActivityDependencies {
  readonly transcriptCache: TranscriptCache;
  readonly treeCache: TreeCache;
  readonly delegatingAgents: DelegatingAgents;
  readonly briefings: LoadedPrompts;
  readonly sessionSender: SessionSender;
}

/** Returns the run's part of the store. Throws if it is not the store that the run was started with. */
export function runStoreFor(store: Store, { runId, storeId }: StoreLocation): RunStore {
  if (store.id !== storeId) throw new WrongStoreError(storeId, store.id);
  return store.forRun(runId);
}
