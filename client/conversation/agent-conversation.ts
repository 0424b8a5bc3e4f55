import { isToolCall } from '../../domain/model';
import type { BlobRef, RunStore } from '../../domain/store';
import type { TranscriptEntry } from '../../domain/transcript';
import { readSpilled, sha256 } from '../../store/blobs';
import type { AgentRecord } from './agent-record';
import type { ChainLinks, KnownLink } from './chain-links';
import type { ConversationEntry, ConversationPage, PartialReply } from './conversation';
import { argumentsText, EntryBuilder, type RunPrices } from './entries';
import { noPicture, readLivePicture } from './live-replies';
import { type Placed, placeLinks } from './place-links';
import { maxShownBytes, type StoredTexts } from './texts';

/** Where the conversation of an agent is read from. */
export interface ConversationSource {
  readonly workflowId: string;
  readonly store: RunStore;
  readonly links: ChainLinks;
  readonly texts: StoredTexts;
  /** Whether it is known to have ended, so that nothing of it is live. */
  hasEnded(): boolean;
  /** Returns what is recorded about the agent at this moment. */
  record(): Promise<AgentRecord>;
  /** Returns the transcript that an agent without turns begins with; undefined if it has not been prepared yet. */
  opening(): Promise<BlobRef | undefined>;
  prices(): Promise<RunPrices>;
}

/** A conversation as it is at one moment. */
export interface Look {
  readonly record: AgentRecord;
  readonly head: BlobRef | undefined;
  readonly placed: readonly Placed[];
  /** Number of entries. */
  readonly total: number;
  readonly speaking: PartialReply | null;
}

/** The place of a turn. */
export interface EntryPlace {
  /** Position of the first message that the model received for the turn, or of the turn itself. */
  readonly from: number;
  /** Position of the turn. */
  readonly position: number;
}

/** The conversation of one agent. */
export class AgentConversation {
  /** The newest transcript that a live picture has shown. Histories learn of it a little later. */
  private liveHead: BlobRef | null = null;
  /** The transcript that the agent began with, if it had to be looked for, and when that was. */
  private begun: BlobRef | undefined;
  private lookedAt = 0;
  /** What was placed last, because placing takes a look at every link. */
  private last: { readonly key: string; readonly placed: readonly Placed[] } | undefined;

  constructor(readonly source: ConversationSource) {}

  /** Returns the conversation as it is at this moment. */
  async look(): Promise<Look> {
    const { store, workflowId, links } = this.source;
    // First, so that a turn that ends meanwhile is in the record.
    const picture = this.source.hasEnded() ? noPicture : await readLivePicture(store, workflowId);
    const record = await this.source.record();
    this.liveHead = picture.head ?? this.liveHead;
    const head = await this.newestHead(record.head ?? (await this.opening()));
    const key = `${record.version} ${head?.hash ?? ''}`;
    if (this.last?.key !== key) this.last = { key, placed: await placeLinks(links, head, record) };
    const { placed } = this.last;
    const total = placed.reduce((sum, one) => sum + sizeOf(one), 0);
    return { record, head, placed, total, speaking: record.hasEnded ? null : picture.speaking };
  }

  /** Looked for at most once a second, because it takes a look at the whole record of the run. */
  private async opening(): Promise<BlobRef | undefined> {
    if (this.begun === undefined && Date.now() - this.lookedAt > 1_000) {
      this.lookedAt = Date.now();
      this.begun = await this.source.opening();
    }
    return this.begun;
  }

  /** A live picture counts if it continues what is recorded. After a reset it does not. */
  private async newestHead(recorded: BlobRef | undefined): Promise<BlobRef | undefined> {
    const live = this.liveHead;
    if (live === null || recorded === undefined || live.hash === recorded.hash) return recorded;
    const path = await this.source.links.upTo(live).catch(() => []);
    return path.some(({ ref }) => ref.hash === recorded.hash) ? live : recorded;
  }

  /** Returns the entries from one position up to, but not including, another one. */
  async entries(
    { record, placed }: Look,
    [from, to]: readonly [number, number],
    maxBytes = maxShownBytes,
  ): Promise<readonly ConversationEntry[]> {
    const { links, texts } = this.source;
    const builder = new EntryBuilder(links, texts, record, { pricing: await this.source.prices(), maxBytes });
    const following = new Map<string, KnownLink>();
    for (const one of placed) {
      if (one.kind === 'link' && one.link.prev !== null) following.set(one.link.prev.hash, one.link);
    }
    const wanted = placed.filter((one) => one.position < to && one.position + sizeOf(one) > from);
    const built = await Promise.all(
      wanted.map((one) => builder.build(one, one.kind === 'link' ? following.get(one.link.ref.hash) : undefined)),
    );
    return built.flat().filter(({ position }) => position >= from && position < to);
  }

  /** Returns the system prompt that the turn at a position was sent with. */
  async promptAt({ placed }: Look, position: number): Promise<ConversationPage['prompt']> {
    const openings = placed.flatMap((one) =>
      one.kind === 'link' && one.link.index === 0 && one.position <= position ? [one.link] : [],
    );
    const opening = openings.at(-1);
    const [first] = opening === undefined ? [] : (await this.source.links.body(opening)).entries;
    return first?.kind === 'opening' ? { hash: first.prompt.hash, bytes: first.prompt.bytes } : null;
  }

  /** Returns the places of a turn: its versions that a reset took back, and the one that counts. */
  async turns(turn: number): Promise<readonly EntryPlace[]> {
    const { placed } = await this.look();
    return placed.flatMap((one) =>
      one.kind === 'link' && one.turn === turn && one.link.index > 0
        ? [{ from: one.position, position: one.position + one.link.entries - 1 }]
        : [],
    );
  }

  /** Returns the place of the turn that made a call; undefined if the conversation has none. */
  async call(callId: string): Promise<EntryPlace | undefined> {
    const { placed } = await this.look();
    for (const one of placed) {
      if (one.kind !== 'link' || !one.link.hasCalls) continue;
      const { entries } = await this.source.links.body(one.link);
      const blocks = entries.flatMap((entry) => (entry.kind === 'reply' ? entry.content : []));
      if (blocks.some((block) => isToolCall(block) && block.id === callId))
        return { from: one.position, position: one.position + one.link.entries - 1 };
    }
    return undefined;
  }

  /** Returns the text with this hash; undefined if the conversation has none. */
  async text(hash: string): Promise<string | undefined> {
    const { record, placed } = await this.look();
    for (const one of placed) {
      const found = one.kind === 'link' ? await this.textIn(record, one.link, hash) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Lets go of what is kept of its transcript. */
  forget(): void {
    for (const one of this.last?.placed ?? []) if (one.kind === 'link') this.source.links.forget(one.link);
    this.last = undefined;
  }

  private async textIn(record: AgentRecord, link: KnownLink, hash: string): Promise<string | undefined> {
    for (const entry of (await this.source.links.body(link)).entries) {
      const written = textsOf(entry).find((text) => sha256(text) === hash);
      if (written !== undefined) return written;
      const results = await resultsOf(record, link, entry);
      const stored = results.find((content) => 'ref' in content && content.ref.hash === hash);
      if (stored !== undefined) return readSpilled(this.source.store, stored, 'text of a conversation');
    }
    return undefined;
  }
}

/** Texts that an entry contains. */
function textsOf(entry: TranscriptEntry): readonly string[] {
  if (entry.kind === 'opening') return [entry.firstMessage];
  if (entry.kind === 'note') return [entry.text];
  if (entry.kind !== 'reply') return [];
  return entry.content.flatMap((block) =>
    'text' in block ? [block.text] : isToolCall(block) ? [argumentsText(block.input)] : [],
  );
}

/** Results of tool calls that an entry contains, or that its calls have had so far. */
async function resultsOf(record: AgentRecord, link: KnownLink, entry: TranscriptEntry) {
  if (entry.kind === 'toolResults') return entry.results.map(({ content }) => content);
  const calls = entry.kind === 'reply' ? entry.content.filter(isToolCall) : [];
  const recorded = await Promise.all(calls.map((call) => record.call(link, call)));
  return recorded.flatMap((call) => (call?.result === undefined ? [] : [call.result.content]));
}

function sizeOf(placed: Placed): number {
  return placed.kind === 'mark' ? 1 : placed.link.entries;
}
