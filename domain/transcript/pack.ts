import { z } from 'zod';
import { canonicalJson } from '../json';
import type { ChainStep } from './loaded';
import { encodeLink, parseJson, type Parsed } from './link';

/** Larger texts stay out of packs: copying them costs more than the read that it saves. */
export const maxPackedTextBytes = 256 * 1024;

/** What the texts of one pack may take together, so that a pack is always something one can hold in memory. */
export const maxPackedTextsBytes = 16 * 1024 * 1024;

const headerSchema = z.strictObject({ v: z.literal(1), from: z.int().nonnegative(), links: z.int().positive() });
const packedTextSchema = z.strictObject({ hash: z.string(), text: z.string() });
export type PackedText = Readonly<z.infer<typeof packedTextSchema>>;

export interface Pack {
  readonly from: number;
  /** The exact texts of the links' blobs, in order. */
  readonly links: readonly string[];
  readonly texts: readonly PackedText[];
}

/**
 * A copy of consecutive links and of the texts they refer to, as lines of JSON: a header, the links, the texts. Canonical
 * JSON has no line breaks in it, so a link's line is byte for byte its blob and can be hashed as it stands.
 */
export function encodePack(steps: readonly ChainStep[]): string {
  const header = { v: 1, from: steps[0]?.link.index ?? 0, links: steps.length };
  const lines = [canonicalJson(header), ...steps.map((step) => encodeLink(step.link))];
  for (const packed of textsToPack(steps)) lines.push(canonicalJson(packed));
  return lines.join('\n');
}

function textsToPack(steps: readonly ChainStep[]): PackedText[] {
  const chosen = new Map<string, string>();
  let room = maxPackedTextsBytes;
  for (const { hash, bytes, text } of steps.flatMap((step) => step.texts)) {
    if (chosen.has(hash) || bytes > maxPackedTextBytes || bytes > room) continue;
    chosen.set(hash, text);
    room -= bytes;
  }
  return [...chosen].map(([hash, text]) => ({ hash, text }));
}

/** Takes a pack apart. Whether its links and texts are the right ones is for the reader to check, by their hashes. */
export function parsePack(content: string): Parsed<Pack> {
  const [first = '', ...lines] = content.split('\n');
  const header = parseJson(first, headerSchema);
  if ('problem' in header) return { problem: `its header is wrong: ${header.problem}` };
  const { from, links } = header.ok;
  if (lines.length < links) return { problem: `it has ${lines.length} lines for ${links} links` };
  const texts: PackedText[] = [];
  for (const line of lines.slice(links)) {
    const text = parseJson(line, packedTextSchema);
    if ('problem' in text) return { problem: `one of its texts is wrong: ${text.problem}` };
    texts.push(text.ok);
  }
  return { ok: { from, links: lines.slice(0, links), texts } };
}
