import type { Client } from '@temporalio/client';
import { LRUCache } from 'lru-cache';
import type { OpenedAgent } from '../../domain/agent';
import { ConcurrencyLimit, runWorkflowId } from '../../domain/kernel';
import { auditComposition, type PromptRecord, renderPrompt, withTranscript } from '../../domain/prompt';
import type { BlobRef, RunStore } from '../../domain/store';
import { renderTranscript } from '../../domain/transcript';
import { sha256 } from '../../store/blobs';
import { assemblePrompt, findRootTools, getPromptRecord, loadPrompt } from '../../store/prompts';
import { findRunPlace } from '../../store/run-place';
import { TranscriptCache } from '../../store/transcript/cache';
import { Transcripts } from '../../store/transcript/transcripts';
import { readRecordedAgent, type RecordedAgent } from '../agent/history';

/** The result of the audit of one agent and of the agents below it. */
export interface AuditedAgent {
  readonly workflowId: string;
  /** Hash of the prompt; null when no prompt is recorded. */
  readonly prompt: string | null;
  /** The first difference from the record; null when there is none. */
  readonly difference: string | null;
  readonly children: readonly AuditedAgent[];
}

/**
 * Rebuilds every prompt of a run from its history and store, and compares it with the recorded one.
 *
 * Differences are returned, not thrown: check `difference` of every agent. Throws when the server does not have the
 * history of an agent.
 *
 * @example
 * const store = await openFileStore(readSettings().storeDir);
 * const root = await auditRun(client, store.forRun('licenses-7'));
 * if (root.difference !== null) console.error(root.difference);
 */
export function auditRun(client: Client, store: RunStore): Promise<AuditedAgent> {
  return new Audit(client, store).audit(runWorkflowId(store.runId), undefined);
}

/** Agents that are checked at the same time. What is in memory of a run depends on this, not on its size. */
const maxConcurrent = 16;
/** Prompts of parents that are kept. Most agents of a large run have the same parent. */
const keptParents = 50;

/** What many agents of a run have in common, and is therefore read once. */
interface SharedReads {
  tools(ref: BlobRef): Promise<unknown>;
  embeddedPrompt(ref: BlobRef): Promise<EmbeddedPrompt>;
}

/** A prompt that others embed: the prompt of their parent, with or without its transcript. */
interface EmbeddedPrompt {
  readonly bytes: Uint8Array;
  /** Hash of the parent's prompt, without the transcript. */
  readonly ownHash: string;
  /** Whether the transcript, if there is one, is the parent's. */
  readonly isSame: boolean;
}

class Audit {
  private readonly limit = new ConcurrencyLimit(maxConcurrent);
  /** Tool lists that were read. Most agents of a run have the same. */
  private readonly readTools = new Map<string, Promise<unknown>>();
  /** Prompts of parents, by hash. */
  private readonly parents = new LRUCache<string, Promise<EmbeddedPrompt>>({ max: keptParents });

  constructor(
    private readonly client: Client,
    private readonly store: RunStore,
  ) {}

  async audit(workflowId: string, parent: OpenedAgent | undefined): Promise<AuditedAgent> {
    const { opened, children, difference } = await this.limit.run(() => this.check(workflowId, parent));
    return {
      workflowId,
      prompt: opened?.prompt.hash ?? null,
      difference,
      children: await all(children.map((child) => this.audit(child, opened))),
    };
  }

  private async check(
    workflowId: string,
    parent: OpenedAgent | undefined,
  ): Promise<RecordedAgent & Pick<AuditedAgent, 'difference'>> {
    const agent = await readRecordedAgent(this.client, workflowId);
    const { store } = this;
    const difference =
      (await checkAgent(store, agent, parent, this.reads)) ?? (await checkRootRecords(store, agent, parent));
    return { ...agent, difference: difference ?? null };
  }

  private readonly reads: SharedReads = {
    tools: (ref) => this.requireTools(ref),
    embeddedPrompt: (ref) => this.embeddedPrompt(ref),
  };

  private embeddedPrompt(ref: BlobRef): Promise<EmbeddedPrompt> {
    const read = this.parents.get(ref.hash) ?? readEmbedded(this.store, ref);
    this.parents.set(ref.hash, read);
    return read;
  }

  private requireTools(ref: BlobRef): Promise<unknown> {
    const read = this.readTools.get(ref.hash) ?? this.store.get(ref, 'audit');
    this.readTools.set(ref.hash, read);
    return read;
  }
}

/** Waits for all, even if one fails, so that nothing uses the connection or the store afterwards. */
async function all<T>(work: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

/**
 * Checks what is stored once for the whole run: where it runs, and the tool list that limits `request_tool`, because an
 * agent can be granted only tools that the root has.
 */
async function checkRootRecords(
  store: RunStore,
  { opened }: RecordedAgent,
  parent: OpenedAgent | undefined,
): Promise<string | undefined> {
  if (opened === undefined || parent !== undefined) return undefined;
  try {
    // Reading a record verifies it.
    await findRunPlace(store);
    const stored = await findRootTools(store);
    return stored?.hash === opened.toolList.hash
      ? undefined
      : 'the tool list stored for tool requests is not that of the root agent';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Returns the first difference between an agent's prompt or transcript and its record; undefined when there is none.
 */
async function checkAgent(
  store: RunStore,
  agent: RecordedAgent,
  parent: OpenedAgent | undefined,
  reads: SharedReads,
): Promise<string | undefined> {
  const { opened } = agent;
  if (opened === undefined) return 'no prompt is recorded';
  try {
    const record = await getPromptRecord(store, opened.prompt, 'audit');
    return (
      (await checkPrompt(store, { opened, record, parent }, reads)) ??
      (await checkTranscript(store, agent, opened, reads))
    );
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

interface PromptToCheck {
  readonly opened: OpenedAgent;
  readonly record: PromptRecord;
  readonly parent: OpenedAgent | undefined;
}

async function checkPrompt(
  store: RunStore,
  { opened, record, parent }: PromptToCheck,
  { embeddedPrompt }: SharedReads,
): Promise<string | undefined> {
  if (record.prompt.hash !== opened.prompt.hash) return 'the record belongs to a different prompt';
  const load = async (ref: BlobRef): Promise<Uint8Array> => (await embeddedPrompt(ref)).bytes;
  const prompt = await assemblePrompt(store, { ...record, prompt: opened.prompt }, 'audit', load);
  if (record.origin.kind === 'rendered') {
    const { definition, headingLevel = 2 } = record.origin;
    const { hash } = renderPrompt(definition, { parameters: record.parameters, headingLevel, sha256 });
    return hash === opened.prompt.hash ? undefined : `the prompt has hash ${hash} when it is rendered again`;
  }
  if (record.origin.kind === 'withTranscript') return 'its prompt has a transcript appended';
  const { composition, parent: recorded } = record.origin;
  const embedded = await embeddedPrompt(recorded);
  if (embedded.ownHash !== parent?.prompt.hash) return "it was composed from a different prompt than its parent's";
  if (!embedded.isSame) return "it embeds something else than its parent's transcript";
  return auditComposition({ record: composition, parent: embedded.bytes, prompt }, { sha256 });
}

async function readEmbedded(store: RunStore, ref: BlobRef): Promise<EmbeddedPrompt> {
  const record = await getPromptRecord(store, ref, 'audit');
  return {
    bytes: await loadPrompt(store, ref, 'audit'),
    ownHash: record.origin.kind === 'withTranscript' ? record.origin.prompt.hash : ref.hash,
    isSame: await isTranscriptOf(store, record),
  };
}

/** Renders the transcript that an embedded prompt ends with again, if it has one, and compares. */
async function isTranscriptOf(store: RunStore, { origin, prompt }: PromptRecord): Promise<boolean> {
  if (origin.kind !== 'withTranscript') return true;
  const { entries } = await new Transcripts(store, new TranscriptCache()).load(origin.head);
  const [record, bytes] = await Promise.all([
    getPromptRecord(store, origin.prompt, 'audit'),
    loadPrompt(store, origin.prompt, 'audit'),
  ]);
  const markdown = Buffer.from(bytes).toString('utf8');
  const again = withTranscript({ markdown, sections: record.sections }, renderTranscript(entries));
  return sha256(again.markdown) === prompt.hash;
}

/**
 * Loading a transcript verifies each of its links. This also checks that it begins with the agent's prompt and tools.
 */
async function checkTranscript(
  store: RunStore,
  { head }: RecordedAgent,
  opened: OpenedAgent,
  { tools }: SharedReads,
): Promise<string | undefined> {
  const { opening } = await new Transcripts(store, new TranscriptCache()).load(head ?? opened.opening);
  if (opening.prompt.hash !== opened.prompt.hash) return 'its transcript begins with a different prompt';
  await tools(opening.tools);
  return undefined;
}
