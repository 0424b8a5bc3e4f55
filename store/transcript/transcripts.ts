import { InvalidInputError } from '../../domain/kernel';
import { type BlobRef, mediaTypes, type RunStore } from '../../domain/store';
import {
  checkpointStart,
  encodeLink,
  encodePack,
  type LoadedTranscript,
  type OpeningEntry,
  parseLink,
  type ResolvedEntry,
  resolveEntry,
  textRefs,
  type TranscriptEntry,
  type TranscriptLink,
} from '../../domain/transcript';
import { sha256 } from '../blobs';
import { appendSteps, readTexts, type Texts, toStep, type VerifiedLink } from './assemble';
import type { TranscriptCache } from './cache';
import { readChain } from './read-chain';

/** A transcript with a link that is being written. */
export interface Appending {
  readonly after: LoadedTranscript;
  /** Settles when the link is written. Until then, nobody else can load the transcript. */
  readonly written: Promise<void>;
}

/**
 * The conversations of one run. A conversation is identified by its head, and what a head refers to never changes.
 * Appending returns a new head; the old one stays valid for another attempt or a reset.
 */
export class Transcripts {
  constructor(
    private readonly store: RunStore,
    /** Omitted by whoever loads each conversation once. */
    private readonly cache?: TranscriptCache,
  ) {}

  /** Starts a conversation with its opening entry. */
  async begin(opening: OpeningEntry): Promise<LoadedTranscript> {
    const { after, written } = await this.write(undefined, { v: 1, index: 0, prev: null, entries: [opening] });
    await written;
    return after;
  }

  /**
   * Loads a conversation. Any worker can do so with nothing but the head; a worker that has it cached reads only what
   * is new.
   */
  async load(head: BlobRef): Promise<LoadedTranscript> {
    const cached = this.cache?.transcript(this.store.runId, head);
    if (cached) return cached;
    const chain = await readChain(this.store, head, (ref) => this.cache?.transcript(this.store.runId, ref));
    const entries = chain.links.flatMap(({ link }) => link.entries);
    const texts = await this.texts(entries, chain.texts);
    const steps = chain.links.map((found) => toStep(found, texts));
    const loaded = appendSteps(chain.base, steps);
    this.cache?.keep(this.store.runId, loaded);
    return loaded;
  }

  /** Appends one link with these entries: what was sent to the model since its last reply, and its reply. */
  async append(transcript: LoadedTranscript, entries: readonly TranscriptEntry[]): Promise<LoadedTranscript> {
    const { after, written } = await this.beginAppend(transcript, entries);
    await written;
    return after;
  }

  /** Like `append`, but returns what the transcript will be while it is being written. */
  async beginAppend(transcript: LoadedTranscript, entries: readonly TranscriptEntry[]): Promise<Appending> {
    const { length: index, head: prev } = transcript;
    const link = { v: 1 as const, index, prev, entries: [...entries] };
    const from = checkpointStart(transcript.steps);
    if (from === undefined) return this.write(transcript, link);
    const pack = Buffer.from(encodePack(transcript.steps.slice(from)), 'utf8');
    const ref = await this.store.put(pack, mediaTypes.jsonLines);
    return this.write(transcript, { ...link, checkpoint: { ref, from } });
  }

  /** Returns entries that are not appended yet with their texts, for a request to the model. */
  async resolve(entries: readonly TranscriptEntry[]): Promise<readonly ResolvedEntry[]> {
    const texts = await this.texts(entries, new Map());
    return entries.map((entry) => resolveEntry(entry, (ref) => texts.get(ref.hash) ?? ''));
  }

  private async write(base: LoadedTranscript | undefined, draft: TranscriptLink): Promise<Appending> {
    const text = encodeLink(draft);
    // Parsed before it is written: a link that could not be loaded must not become a head, and writing and loading must
    // return the same values.
    const parsed = parseLink(text);
    if ('problem' in parsed) throw new InvalidInputError('entries', parsed.problem, 'Append only valid entries.');
    const texts = await this.texts(parsed.ok.entries, new Map());
    const bytes = Buffer.from(text, 'utf8');
    const ref = { hash: sha256(bytes), bytes: bytes.byteLength, mediaType: mediaTypes.json };
    const found: VerifiedLink = { ref, link: parsed.ok };
    const after = appendSteps(base, [toStep(found, texts)]);
    const written = this.store.put(bytes, mediaTypes.json).then(() => {
      this.cache?.keepAppended(this.store.runId, after);
    });
    // Whoever awaits it learns of a failure, however late.
    written.catch(() => undefined);
    return { after, written };
  }

  private async texts(entries: readonly TranscriptEntry[], packed: Texts): Promise<Texts> {
    const { runId } = this.store;
    const refs = textRefs(entries);
    const texts = await readTexts(this.store, refs, (ref) => packed.get(ref.hash) ?? this.cache?.text(runId, ref));
    // Texts from packs are not cached: they belong to old turns and are not requested individually.
    for (const ref of refs) if (!packed.has(ref.hash)) this.cache?.keepText(runId, ref, texts.get(ref.hash) ?? '');
    return texts;
  }
}
