import type { Client } from '@temporalio/client';
import type { PromptDefinition } from '../domain/prompt';
import type { SkillLoader } from '../domain/skill';
import { OtherStoreError } from '../domain/store/errors';
import type { RunStore, Store } from '../domain/store/store';
import type { TranscriptCache } from '../store/transcript/cache';
import type { TreeCache } from '../store/workspace/trees';
import type { Briefings } from './briefings';
import type { DelegatingAgents } from './delegating-agent';
import type { StoreLocation } from './interface';
import type { ModelPort } from './ports';
import type { SessionSender } from './session-sender';
import type { Tool } from './tools/tool';

/** What the activities work with; wired together in worker/. */
export interface ActivityDependencies {
  readonly store: Store;
  readonly model: ModelPort;
  readonly tools: readonly Tool[];
  /** Prompts that agents may dispatch. */
  readonly prompts: readonly PromptDefinition[];
  /** Skills that agents may dispatch; asked for when a run starts, which keeps them as they are then. */
  readonly skills?: SkillLoader;
  /** For waiting on delegations that another execution started. */
  readonly client: Client;
  /** Whether the namespace has Baton's search attributes. */
  readonly searchAttributes: boolean;
}

/** The same, with what all activities of a worker keep in memory together. */
export interface SharedDependencies extends ActivityDependencies {
  readonly transcriptCache: TranscriptCache;
  readonly treeCache: TreeCache;
  readonly delegatingAgents: DelegatingAgents;
  readonly briefings: Briefings;
  readonly sessionSender: SessionSender;
}

/** The run's part of the store, after making sure that it is the store the run was started with. */
export function storeAt(store: Store, { runId, storeId }: StoreLocation): RunStore {
  if (store.id !== storeId) throw new OtherStoreError(storeId, store.id);
  return store.forRun(runId);
}
