import type { BlobRef } from '../../domain/store/blob-ref';
import { BlobCorruptError } from '../../domain/store/errors';
import type { RunStore } from '../../domain/store/store';
import { parseLink, type Checkpoint, type TranscriptLink } from '../../domain/transcript/link';
import type { LoadedTranscript } from '../../domain/transcript/loaded';
import { parsePack } from '../../domain/transcript/pack';
import { sha256 } from '../digest';
import { decodeUtf8 } from '../utf8';
import type { FoundLink } from './assemble';

export interface ReadChain {
  /** A prefix that the caller had already, if the walk met one. */
  readonly base: LoadedTranscript | undefined;
  /** The links after the base, oldest first. */
  readonly links: readonly FoundLink[];
  /** Texts that packs brought along, by hash. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Walks from a head back to the opening, or to a prefix that is known, and verifies every link on the way. */
export async function readChain(
  store: RunStore,
  head: BlobRef,
  known: (ref: BlobRef) => LoadedTranscript | undefined,
): Promise<ReadChain> {
  const supply = new ChainSupply(store, `transcript ${head.hash.slice(0, 12)}`);
  const links: FoundLink[] = [];
  let base: LoadedTranscript | undefined;
  for (let at: BlobRef | null = head; at !== null;) {
    base = known(at);
    if (base) break;
    const found = await supply.link(at, links[links.length - 1]);
    links.push(found);
    at = found.link.prev;
  }
  supply.checkJoint(base, links[links.length - 1]);
  return { base, links: links.reverse(), texts: supply.texts };
}

/**
 * Where the walk gets its links from: the store, or a pack that a later link named. What comes out of a pack is found
 * by the hash of its own bytes, so it is as trustworthy as if it had been read alone.
 */
class ChainSupply {
  readonly texts = new Map<string, string>();
  /** The pack in which the walk is at the moment, with the texts of its links by hash. */
  private pack:
    { readonly ref: BlobRef; readonly from: number; readonly links: ReadonlyMap<string, string> } | undefined;

  constructor(
    private readonly store: RunStore,
    private readonly neededBy: string,
  ) {}

  /** The link at `ref`; `later` is the one that names it as its predecessor. */
  async link(ref: BlobRef, later: FoundLink | undefined): Promise<FoundLink> {
    const text = await this.textOf(ref, later?.link);
    if (Buffer.byteLength(text, 'utf8') !== ref.bytes) throw this.corrupt(ref, `it does not have ${ref.bytes} bytes`);
    const parsed = parseLink(text);
    if ('problem' in parsed) throw this.corrupt(ref, `it is no link of a transcript: ${parsed.problem}`);
    if (later) this.checkIndex(ref, parsed.ok.index, later.link.index - 1);
    return { ref, link: parsed.ok };
  }

  /** The oldest link that was read must go on exactly where the known prefix ends. */
  checkJoint(base: LoadedTranscript | undefined, oldest: FoundLink | undefined): void {
    if (base && oldest) this.checkIndex(oldest.ref, oldest.link.index, base.length);
  }

  private async textOf(ref: BlobRef, later: TranscriptLink | undefined): Promise<string> {
    if (!later) return this.read(ref, 'link');
    const index = later.index - 1;
    if (this.pack && index < this.pack.from) this.pack = undefined;
    // Links inside a wide pack name narrower ones, which bring nothing new.
    if (!this.pack && later.checkpoint) await this.unpack(later.checkpoint, index);
    if (!this.pack) return this.read(ref, 'link');
    const text = this.pack.links.get(ref.hash);
    if (text === undefined) throw this.corrupt(this.pack.ref, `its link ${index} is not ${ref.hash}`);
    return text;
  }

  private async unpack({ ref, from }: Checkpoint, last: number): Promise<void> {
    const parsed = parsePack(await this.read(ref, 'pack'));
    if ('problem' in parsed) throw this.corrupt(ref, parsed.problem);
    const { links, texts, from: first } = parsed.ok;
    if (first !== from || first + links.length - 1 !== last) {
      throw this.corrupt(ref, `it does not hold the links ${from} to ${last}`);
    }
    for (const { hash, text } of texts) {
      if (sha256(text) !== hash) throw this.corrupt(ref, `its text ${hash} has another hash`);
      this.texts.set(hash, text);
    }
    this.pack = { ref, from, links: new Map(links.map((text) => [sha256(text), text])) };
  }

  private checkIndex(ref: BlobRef, found: number, expected: number): void {
    if (found !== expected) throw this.corrupt(ref, `it is link ${found}, where link ${expected} belongs`);
  }

  private async read(ref: BlobRef, what: string): Promise<string> {
    const text = decodeUtf8(await this.store.get(ref, `${this.neededBy}, ${what}`));
    if (text === undefined) throw this.corrupt(ref, 'it is not UTF-8 text');
    return text;
  }

  private corrupt(ref: BlobRef, found: string): BlobCorruptError {
    return new BlobCorruptError(this.store.runId, ref.hash, this.neededBy, found);
  }
}
