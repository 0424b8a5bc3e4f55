import { z } from 'zod';
import { canonicalJson } from '../kernel';
import { type ChainStep, encodeLink, type Parsed, parseJson } from './chain';

/**
 * Maximum bytes of a link or a text that is copied into a pack. Copying a larger one costs more than the read that it
 * saves: with results of 20 KB, a conversation would take more than three times its size.
 */
export const maxPackedBytes = 2 * 1024;

/** Maximum bytes of all texts in one pack, so that a pack always fits into memory. */
export const maxPackedTextsBytes = 4 * 1024 * 1024;

/** In version 1, links and texts of any size were copied. */
const headerSchema = z.strictObject({ v: z.literal(2), from: z.int().nonnegative(), links: z.int().positive() });
const packedTextSchema = z.strictObject({ hash: z.string(), text: z.string() });
/** A text that is copied into a pack, with the hash of its blob. */
type PackedText = Readonly<z.infer<typeof packedTextSchema>>;

const namedLinkSchema = z.strictObject({ hash: z.string(), bytes: z.int().nonnegative().exactOptional() });
/** A link that is not copied into a pack. */
export type NamedLink = Readonly<z.infer<typeof namedLinkSchema>>;

/** A link in a pack: the exact text of its blob, or the hash and the size of a link that is not copied. */
type PackedLink = { readonly text: string } | NamedLink;

/** The content of a pack: consecutive links and the texts they refer to. */
export interface Pack {
  readonly from: number;
  readonly links: readonly PackedLink[];
  readonly texts: readonly PackedText[];
}

/**
 * Encodes consecutive links and the texts they refer to as lines of JSON: a header, the links, the texts. Canonical JSON
 * contains no line breaks, so the line of a link is identical to its blob and can be hashed directly.
 */
export function encodePack(steps: readonly ChainStep[]): string {
  const header = { v: 2, from: steps[0]?.link.index ?? 0, links: steps.length };
  const lines = [canonicalJson(header), ...steps.map(packLink)];
  for (const packed of textsToPack(steps)) lines.push(canonicalJson(packed));
  return lines.join('\n');
}

/** A link is copied with its texts or not at all: if a text has to be read anyway, its link is read at the same time. */
function packLink(step: ChainStep): string {
  const { hash, bytes } = step.ref;
  return isCopied(step) ? encodeLink(step.link) : canonicalJson({ hash, bytes });
}

function isCopied({ ref, texts }: ChainStep): boolean {
  return [ref, ...texts].every(({ bytes }) => bytes <= maxPackedBytes);
}

function textsToPack(steps: readonly ChainStep[]): PackedText[] {
  const chosen = new Map<string, string>();
  let room = maxPackedTextsBytes;
  for (const { hash, bytes, text } of steps.flatMap((step) => step.texts)) {
    if (chosen.has(hash) || bytes > maxPackedBytes || bytes > room) continue;
    chosen.set(hash, text);
    room -= bytes;
  }
  return [...chosen].map(([hash, text]) => ({ hash, text }));
}

/** Parses a pack. Does not verify it: the caller has to compare the links and texts with their hashes. */
export function parsePack(content: string): Parsed<Pack> {
  const [first = '', ...lines] = content.split('\n');
  const header = parseJson(first, headerSchema);
  if ('problem' in header) return { problem: `its header is invalid: ${header.problem}` };
  const { from, links } = header.ok;
  if (lines.length < links) return { problem: `it has ${lines.length} lines for ${links} links` };
  const texts: PackedText[] = [];
  for (const line of lines.slice(links)) {
    const text = parseJson(line, packedTextSchema);
    if ('problem' in text) return { problem: `one of its texts is invalid: ${text.problem}` };
    texts.push(text.ok);
  }
  return { ok: { from, links: lines.slice(0, links).map(parsePackedLink), texts } };
}

function parsePackedLink(line: string): PackedLink {
  // A link is parsed when it is needed. None begins like this.
  const named = /^\{"(bytes|hash)":/.test(line) ? parseJson(line, namedLinkSchema) : undefined;
  return named !== undefined && 'ok' in named ? named.ok : { text: line };
}

/**
 * Distances between checkpoints, largest first. With these, a chain of 1,000 small links and results loads in at most
 * about 50 reads.
 */
const spans = [256, 16] as const;

/**
 * Returns the index of the first link in the pack of the link that follows these; undefined if that link has no pack. A
 * long pack saves reads by its copies. One that would mostly name links repeats what shorter packs say.
 */
export function checkpointStart(steps: readonly ChainStep[]): number | undefined {
  const index = steps.length;
  const starts = spans.filter((span) => index > 0 && index % span === 0).map((span) => index - span);
  return starts.find((start) => mostAreCopied(steps.slice(start))) ?? starts.at(-1);
}

function mostAreCopied(steps: readonly ChainStep[]): boolean {
  return steps.filter(isCopied).length * 2 >= steps.length;
}
