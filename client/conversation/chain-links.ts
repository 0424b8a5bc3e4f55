import { LRUCache } from 'lru-cache';
import { isToolCall } from '../../domain/model';
import { type BlobRef, mediaTypes, type RunStore } from '../../domain/store';
import type { TranscriptEntry, TranscriptLink } from '../../domain/transcript';
import { readChain } from '../../store/transcript/read-chain';

/** A link of a transcript, as far as the order of an agent's entries depends on it. */
export interface KnownLink {
  readonly ref: BlobRef;
  readonly prev: BlobRef | null;
  /** Place of the link in its conversation. The opening has 0, every other one ends with a reply. */
  readonly index: number;
  /** Head of the conversation before; only of an opening after a handoff. */
  readonly previous: BlobRef | undefined;
  /** Number of conversation entries that the link is shown as. */
  readonly entries: number;
  /** Name of the model that the agent has from here on; undefined if it stays the same. */
  readonly model: string | undefined;
  /** Whether the reply calls tools. */
  readonly hasCalls: boolean;
}

/** Maximum bytes of the links that are kept in memory. */
const maxBytes = 32 * 1024 * 1024;

/** Reads the links of transcripts without the texts that they refer to. Every link is read once. */
export class ChainLinks {
  private readonly known = new Map<string, KnownLink>();
  private readonly bodies = new LRUCache<string, TranscriptLink>({ maxSize: maxBytes });

  constructor(private readonly store: RunStore) {}

  /** Returns all links of an agent up to `head`, oldest first, through all its handoffs. */
  async upTo(head: BlobRef): Promise<readonly KnownLink[]> {
    const newestFirst: KnownLink[] = [];
    for (let at: BlobRef | undefined = head; at !== undefined;) {
      await this.learn(at);
      let link = this.known.get(at.hash);
      at = undefined;
      while (link !== undefined) {
        newestFirst.push(link);
        at = link.previous;
        link = link.prev === null ? undefined : this.known.get(link.prev.hash);
      }
    }
    return newestFirst.reverse();
  }

  /** Returns the content of a link that `upTo` returned. */
  async body({ ref }: KnownLink): Promise<TranscriptLink> {
    const kept = this.bodies.get(ref.hash);
    if (kept !== undefined) return kept;
    // Every link but this one is known, so nothing else is read.
    const { links } = await readChain(this.store, ref, (other) =>
      other.hash === ref.hash ? undefined : this.prefixAt(other),
    );
    const [found] = links.slice(-1);
    if (found === undefined) throw new Error(`Link ${ref.hash} was not read`);
    this.keep(found.ref, found.link);
    return found.link;
  }

  /** Lets go of a link. */
  forget({ ref }: KnownLink): void {
    this.known.delete(ref.hash);
    this.bodies.delete(ref.hash);
  }

  private async learn(head: BlobRef): Promise<void> {
    if (this.known.has(head.hash)) return;
    const { links } = await readChain(this.store, head, (ref) => this.prefixAt(ref));
    for (const { ref, link } of links) {
      this.known.set(ref.hash, describe(ref, link));
      this.keep(ref, link);
    }
  }

  private prefixAt({ hash }: BlobRef): { readonly length: number } | undefined {
    const link = this.known.get(hash);
    return link && { length: link.index + 1 };
  }

  private keep({ hash, bytes }: BlobRef, link: TranscriptLink): void {
    this.bodies.set(hash, link, { size: 200 + 2 * bytes });
  }
}

function describe(ref: BlobRef, { prev, index, entries }: TranscriptLink): KnownLink {
  const models = entries.flatMap((entry) => ('model' in entry && typeof entry.model === 'object' ? [entry.model] : []));
  return {
    ref,
    prev,
    index,
    previous: entries.flatMap((entry) => (entry.kind === 'opening' ? [entry.previous] : []))[0],
    entries: entries.reduce((sum, entry) => sum + shownAs(entry), 0),
    model: models.at(-1)?.name,
    hasCalls: entries.some((entry) => entry.kind === 'reply' && entry.content.some(isToolCall)),
  };
}

/** Number of conversation entries that an entry of a transcript is shown as. */
function shownAs(entry: TranscriptEntry): number {
  switch (entry.kind) {
    case 'opening':
      // A handoff is shown before the message that it begins with.
      return entry.previous === undefined ? 1 : 2;
    case 'toolResults':
      return 0;
    case 'change':
      return Number(entry.model !== undefined) + Number(entry.tools !== undefined);
    default:
      return 1;
  }
}

/** Completes the ref of a link whose media type is left out. */
export function linkRef({ hash, bytes }: Pick<BlobRef, 'hash' | 'bytes'>): BlobRef {
  return { hash, bytes, mediaType: mediaTypes.json };
}
