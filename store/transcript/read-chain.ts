import { BlobCorruptError, type BlobRef, mediaTypes, type RunStore } from '../../domain/store';
import { type Checkpoint, type NamedLink, parseLink, parsePack, type TranscriptLink } from '../../domain/transcript';
import { decodeUtf8, sha256 } from '../blobs';
import type { VerifiedLink } from './assemble';

/** A prefix of a transcript that the caller already has. */
interface KnownPrefix {
  /** Number of its links. */
  readonly length: number;
}

/** The verified links of a transcript. */
export interface ReadChain<Prefix extends KnownPrefix> {
  /** The prefix that the caller already has, if the walk reached one. */
  readonly base: Prefix | undefined;
  /** The links after the base, oldest first. */
  readonly links: readonly VerifiedLink[];
  /** Texts that were contained in packs, by hash. */
  readonly texts: ReadonlyMap<string, string>;
}

/**
 * Reads a chain from its head back to the opening, or to a prefix that the caller already has, and verifies every link.
 */
export async function readChain<Prefix extends KnownPrefix>(
  store: RunStore,
  head: BlobRef,
  known: (ref: BlobRef) => Prefix | undefined,
): Promise<ReadChain<Prefix>> {
  const supply = new ChainSupply(store, `transcript ${head.hash.slice(0, 12)}`);
  const links: VerifiedLink[] = [];
  let base: Prefix | undefined;
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

/** Links that are read at the same time. */
const readsAtATime = 32;

/** The pack that the walk is currently in, with its links by hash. */
interface OpenPack {
  readonly ref: BlobRef;
  readonly from: number;
  /** Those that are not copied have no text until they are read. */
  readonly links: Map<string, string | undefined>;
  /** Those that are not copied, oldest first. */
  readonly named: readonly NamedLink[];
}

/**
 * Supplies the links, from the store or from a pack that a later link refers to. Links in a pack are looked up by the
 * hash of their own bytes, so they are as trustworthy as links that were read individually.
 */
class ChainSupply {
  readonly texts = new Map<string, string>();
  private pack: OpenPack | undefined;

  constructor(
    private readonly store: RunStore,
    private readonly neededBy: string,
  ) {}

  /** Returns the link at `ref`. `later` is the link that has it as its predecessor. */
  async link(ref: BlobRef, later: VerifiedLink | undefined): Promise<VerifiedLink> {
    const text = await this.textOf(ref, later?.link);
    if (Buffer.byteLength(text, 'utf8') !== ref.bytes) throw this.corrupt(ref, `it is not ${ref.bytes} bytes long`);
    const parsed = parseLink(text);
    if ('problem' in parsed) throw this.corrupt(ref, `it is not a valid transcript link: ${parsed.problem}`);
    if (later) this.checkIndex(ref, parsed.ok.index, later.link.index - 1);
    return { ref, link: parsed.ok };
  }

  /** Verifies that the oldest link that was read directly follows the known prefix. */
  checkJoint(base: KnownPrefix | undefined, oldest: VerifiedLink | undefined): void {
    if (base && oldest) this.checkIndex(oldest.ref, oldest.link.index, base.length);
  }

  private async textOf(ref: BlobRef, later: TranscriptLink | undefined): Promise<string> {
    if (!later) return this.read(ref, 'link');
    const index = later.index - 1;
    if (this.pack && index < this.pack.from) this.pack = undefined;
    // Links inside a wide pack refer to narrower packs, which contain nothing new.
    if (!this.pack && later.checkpoint) await this.unpack(later.checkpoint, index);
    if (!this.pack) return this.read(ref, 'link');
    const { links } = this.pack;
    if (!links.has(ref.hash)) throw this.corrupt(this.pack.ref, `its link ${index} is not ${ref.hash}`);
    return links.get(ref.hash) ?? (await this.readNamed(this.pack, ref));
  }

  /** Reads a link that the pack only names, together with those before it, which are needed next. */
  private async readNamed({ links, named }: OpenPack, ref: BlobRef): Promise<string> {
    const at = named.findIndex(({ hash }) => hash === ref.hash);
    const next = named.slice(Math.max(0, at + 1 - readsAtATime), at + 1);
    const readOne = async ({ hash, bytes }: NamedLink): Promise<void> => {
      // The first packs did not tell the size.
      if (bytes !== undefined) links.set(hash, await this.read({ hash, bytes, mediaType: mediaTypes.json }, 'link'));
    };
    await Promise.all(next.map(readOne));
    return links.get(ref.hash) ?? this.read(ref, 'link');
  }

  private async unpack({ ref, from }: Checkpoint, last: number): Promise<void> {
    const parsed = parsePack(await this.read(ref, 'pack'));
    if ('problem' in parsed) throw this.corrupt(ref, parsed.problem);
    const { links, texts, from: first } = parsed.ok;
    if (first !== from || first + links.length - 1 !== last) {
      throw this.corrupt(ref, `it does not contain the links ${from} to ${last}`);
    }
    for (const { hash, text } of texts) {
      if (sha256(text) !== hash) throw this.corrupt(ref, `its text ${hash} has a different hash`);
      this.texts.set(hash, text);
    }
    const byHash = links.map((link) => ('hash' in link ? ([link.hash, undefined] as const) : hashed(link.text)));
    const named = links.flatMap((link) => ('hash' in link ? [link] : []));
    this.pack = { ref, from, links: new Map<string, string | undefined>(byHash), named };
  }

  private checkIndex(ref: BlobRef, found: number, expected: number): void {
    if (found !== expected) throw this.corrupt(ref, `it is link ${found} instead of link ${expected}`);
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

function hashed(text: string): readonly [hash: string, text: string] {
  return [sha256(text), text];
}
