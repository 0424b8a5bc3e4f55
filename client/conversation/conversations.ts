import type { Client } from '@temporalio/client';
import { delegationPath } from '../../domain/kernel';
import type { BlobRef, RunStore } from '../../domain/store';
import { readAnswers, readRoots } from '../../store/run-record';
import { missingDelegation, missingRun } from '../client-errors';
import { SharedRead } from '../record/shared-read';
import { everyStoredAgent, readStoredRun, type StoredAgent } from '../record/stored-run';
import { AgentConversation, type EntryPlace } from './agent-conversation';
import type { AgentRecord } from './agent-record';
import { ChainLinks } from './chain-links';
import type { ConversationPage, PartialReply } from './conversation';
import type { RunPrices } from './entries';
import { type ConversationChange, followConversation, type FollowOptions } from './follow';
import { HistoryRecord } from './history-record';
import { readLivePicture } from './live-replies';
import type { ReadAgents } from './read-agents';
import { StoredRecord } from './stored-record';
import { StoredTexts } from './texts';

/** Which entries of a conversation to read. Without `before` and `after`: the newest. */
export interface ConversationRange {
  /** Only entries at lower positions; the newest of them. */
  readonly before?: number;
  /** Only entries at higher positions; the oldest of them. -1 is the beginning. */
  readonly after?: number;
  /** Maximum number of entries. Default: 50. */
  readonly limit?: number;
  /** Give all texts as a whole. Default: false, which gives the beginning of those over 4 KiB. */
  readonly whole?: boolean;
}

const defaultLimit = 50;
/** Time for which what was read of a history is good enough, in milliseconds. */
const freshMs = 300;
/** Time for which what was read of the store, or of an agent that has ended, is good enough, in milliseconds. */
const freshSlowMs = 3_000;
/** Maximum time of one request that waits for new events, in milliseconds. */
const patienceMs = 5_000;

/** What is recorded about an agent, and when that was read. */
interface KnownRecord {
  readonly record: AgentRecord;
  readAt: number;
  /** Number of those who follow the agent. While there are any, the record is kept up to date. */
  followers: number;
}

/**
 * Reads what the agents of a run were told, said and did. The transcripts come from the store. When things happened,
 * attempts, resets and decisions come from the server's histories; from the store alone if the server no longer has the
 * run, or without a client. Does not need a worker. Keep one for as long as conversations are looked at: what has been read
 * is not read again.
 *
 * @example
 * const store = await openStore(readSettings());
 * const conversations = new Conversations(store.forRun('licenses-7'), client);
 * const { entries } = await conversations.read('run/licenses-7');
 */
export class Conversations {
  private readonly links: ChainLinks;
  private readonly texts: StoredTexts;
  private readonly agents = new Map<string, AgentConversation>();
  private readonly records = new Map<string, KnownRecord>();
  private pricing: Promise<RunPrices> | undefined;
  private readonly storedAgents: SharedRead<ReadonlyMap<string, StoredAgent> | undefined>;
  private readonly answers: SharedRead<Awaited<ReturnType<typeof readAnswers>>>;

  constructor(
    private readonly store: RunStore,
    private readonly client: Client | null = null,
    /** Agents whose events were read. The histories of those that have ended are not read again. Default: none. */
    private readonly known?: ReadAgents,
  ) {
    this.links = new ChainLinks(store);
    this.texts = new StoredTexts(store);
    this.storedAgents = new SharedRead(async () => {
      const run = await readStoredRun(store);
      return run && new Map(everyStoredAgent(run.root).map((agent) => [agent.workflowId, agent]));
    });
    this.answers = new SharedRead(() => readAnswers(store));
  }

  /** Reads a part of an agent's conversation. Throws a `BatonError` if the run has no such agent. */
  async read(workflowId: string, range: ConversationRange = {}): Promise<ConversationPage> {
    const conversation = this.agent(workflowId);
    const look = await conversation.look();
    const { total, speaking } = look;
    const maxBytes = range.whole === true ? Number.POSITIVE_INFINITY : undefined;
    const entries = await conversation.entries(look, bounds(range, total), maxBytes);
    const prompt = await conversation.promptAt(look, entries[0]?.position ?? 0);
    return { agent: workflowId, prompt, entries, total, speaking };
  }

  /**
   * Yields the entries of an agent, and then what changes: new entries, entries of which more is known, and what the model
   * is saying. Ends when the agent has ended.
   */
  async *follow(workflowId: string, options: FollowOptions = {}): AsyncGenerator<ConversationChange, void, undefined> {
    await this.record(workflowId);
    const known = this.records.get(workflowId);
    const stopped = new AbortController();
    const failed = known === undefined ? undefined : keepUpToDate(known, stopped.signal);
    try {
      for await (const change of followConversation(this.agent(workflowId), options)) {
        yield change;
        failed?.throwIfFailed();
      }
    } finally {
      stopped.abort();
    }
  }

  /** Returns the places of a turn: those of versions that a reset took back, and last the one that counts. */
  turns(workflowId: string, turn: number): Promise<readonly EntryPlace[]> {
    return this.agent(workflowId).turns(turn);
  }

  /** Returns the place of the turn that made a tool call; undefined if there is none. */
  call(workflowId: string, callId: string): Promise<EntryPlace | undefined> {
    return this.agent(workflowId).call(callId);
  }

  /** Returns what the model of an agent says at this moment; null when it is not speaking or nobody knows. */
  async speaking(workflowId: string): Promise<PartialReply | null> {
    return (await readLivePicture(this.store, workflowId)).speaking;
  }

  /** Returns a whole text, of which an entry of this agent has the beginning. Undefined if it has no such text. */
  text(workflowId: string, hash: string): Promise<string | undefined> {
    return this.agent(workflowId).text(hash);
  }

  /** Lets go of what was read of an agent, which is read again if it is asked for again. */
  forget(workflowId: string): void {
    this.agents.get(workflowId)?.forget();
    this.agents.delete(workflowId);
    this.records.delete(workflowId);
  }

  private agent(workflowId: string): AgentConversation {
    const known = this.agents.get(workflowId);
    if (known !== undefined) return known;
    const { store, links, texts } = this;
    const agent = new AgentConversation({
      workflowId,
      store,
      links,
      texts,
      hasEnded: () => this.known?.hasEnded(workflowId) === true,
      record: () => this.record(workflowId),
      opening: () => this.opening(workflowId),
      prices: () => this.prices(),
    });
    this.agents.set(workflowId, agent);
    return agent;
  }

  private async record(workflowId: string): Promise<AgentRecord> {
    const known = this.records.get(workflowId);
    if (known !== undefined && isFresh(known)) return known.record;
    if (known?.record instanceof HistoryRecord && !(await this.isOutdated(known.record))) {
      await known.record.refresh();
      known.readAt = Date.now();
      return known.record;
    }
    const record =
      this.known?.record(workflowId, this.store) ??
      (this.client && (await HistoryRecord.open(this.client, this.store, workflowId))) ??
      (await this.storedRecord(workflowId));
    this.records.set(workflowId, { record, readAt: Date.now(), followers: 0 });
    return record;
  }

  private async isOutdated(record: HistoryRecord): Promise<boolean> {
    return record.hasEnded && this.client !== null && record.isOutdated(this.client);
  }

  private async storedRecord(workflowId: string): Promise<AgentRecord> {
    const agent = await this.storedAgent(workflowId);
    const answers = await this.answers.get();
    return new StoredRecord(this.store, agent, answers.get(workflowId) ?? []);
  }

  private async storedAgent(workflowId: string): Promise<StoredAgent> {
    const agents = await this.storedAgents.get();
    if (agents === undefined) throw missingRun(this.store.runId);
    const agent = agents.get(workflowId);
    if (agent !== undefined) return agent;
    throw missingDelegation(this.store.runId, delegationPath(workflowId).at(-1) ?? '');
  }

  private async opening(workflowId: string): Promise<BlobRef | undefined> {
    const agent = await this.storedAgent(workflowId).catch(() => undefined);
    return agent?.opened.opening;
  }

  private prices(): Promise<RunPrices> {
    this.pricing ??= readRoots(this.store).then((roots) => roots.at(-1)?.settings ?? {});
    return this.pricing;
  }
}

function isFresh({ record, readAt, followers }: KnownRecord): boolean {
  const age = Date.now() - readAt;
  if (!(record instanceof HistoryRecord)) return record.hasEnded || age < freshSlowMs;
  return followers > 0 || age < (record.hasEnded ? freshSlowMs : freshMs);
}

/** Waits for new events in the background. */
function keepUpToDate(known: KnownRecord, stopped: AbortSignal): { throwIfFailed(): void } {
  const { record } = known;
  let failure: Error | undefined;
  const work = async (): Promise<void> => {
    if (!(record instanceof HistoryRecord)) return;
    known.followers += 1;
    try {
      while (!stopped.aborted && !record.hasEnded) await record.wait(Date.now() + patienceMs);
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
    } finally {
      known.followers -= 1;
    }
  };
  void work();
  return {
    throwIfFailed() {
      if (failure !== undefined && !stopped.aborted) throw failure;
    },
  };
}

function bounds({ before, after, limit = defaultLimit }: ConversationRange, total: number): readonly [number, number] {
  if (after !== undefined) {
    const from = Math.max(0, after + 1);
    return [from, Math.min(total, before ?? total, from + limit)];
  }
  const to = Math.min(total, before ?? total);
  return [Math.max(0, to - limit), to];
}
