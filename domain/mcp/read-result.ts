import { z } from 'zod';
import { checkValue, canonicalJson, toWellFormedUnicode } from '../kernel';
import { cleanText } from './clean-text';

/** A part of a result: text for the model, or content that is stored as an artifact. */
export type ResultPart =
  | { readonly text: string }
  | {
      readonly base64: string;
      readonly mediaType: string;
      /** What it is, such as `image`. */
      readonly what: string;
    };

const maxBlocks = 1_000;
const maxLine = 500;

const blockSchema = z.looseObject({ type: z.string() });
const textSchema = z.object({ text: z.string() });
const dataSchema = z.object({ data: z.string(), mimeType: z.unknown().optional() });
const linkSchema = z.object({
  uri: z.string(),
  name: z.unknown().optional(),
  title: z.unknown().optional(),
  description: z.unknown().optional(),
  mimeType: z.unknown().optional(),
});
const resourceSchema = z.object({
  resource: z.object({
    uri: z.string(),
    mimeType: z.unknown().optional(),
    text: z.unknown().optional(),
    blob: z.unknown().optional(),
  }),
});

/** Converts the result of a call. Blocks of an unknown kind, and blocks without the content they need, are named. */
export function readResult(content: readonly unknown[], structured: unknown): readonly ResultPart[] {
  const parts = content.slice(0, maxBlocks).flatMap(readBlock);
  if (content.length > maxBlocks) parts.push({ text: `[${content.length - maxBlocks} more parts were left out]` });
  if (structured === undefined || parts.some((part) => isSameJson(part, structured))) return parts;
  return [...parts, { text: `Structured content:\n${toWellFormedUnicode(JSON.stringify(structured))}` }];
}

function readBlock(block: unknown): ResultPart[] {
  const parsed = checkValue(blockSchema, block);
  if (!parsed.success) return [unreadable('part')];
  const { type } = parsed.data;
  if (type === 'text') return readText(block);
  if (type === 'image' || type === 'audio') return readData(type, block);
  if (type === 'resource_link') return readLink(block);
  if (type === 'resource') return readResource(block);
  return [unreadable(`part of the kind "${cleanText(type, 50)}"`)];
}

function readText(block: unknown): ResultPart[] {
  const parsed = checkValue(textSchema, block);
  return [parsed.success ? { text: toWellFormedUnicode(parsed.data.text) } : unreadable('text')];
}

function readData(what: string, block: unknown): ResultPart[] {
  const parsed = checkValue(dataSchema, block);
  if (!parsed.success) return [unreadable(what)];
  return [{ what, base64: parsed.data.data, mediaType: mediaTypeOf(parsed.data.mimeType) }];
}

function readLink(block: unknown): ResultPart[] {
  const parsed = checkValue(linkSchema, block);
  if (!parsed.success) return [unreadable('link')];
  const { uri, name, title, mimeType, description } = parsed.data;
  const facts = [title ?? name, mimeType, description].filter((fact) => typeof fact === 'string' && fact !== '');
  return [{ text: `[resource ${line(uri)}${facts.map((fact) => `; ${line(String(fact))}`).join('')}]` }];
}

function readResource(block: unknown): ResultPart[] {
  const parsed = checkValue(resourceSchema, block);
  if (!parsed.success) return [unreadable('resource')];
  const { uri, mimeType, text, blob } = parsed.data.resource;
  const heading = { text: `[resource ${line(uri)}]` };
  if (typeof text === 'string') return [heading, { text: toWellFormedUnicode(text) }];
  if (typeof blob === 'string') return [heading, { what: 'resource', base64: blob, mediaType: mediaTypeOf(mimeType) }];
  return [unreadable('resource')];
}

function unreadable(what: string): ResultPart {
  return { text: `[a ${what} that cannot be read was left out]` };
}

function line(text: string): string {
  return cleanText(text, maxLine).replaceAll('\n', ' ');
}

function mediaTypeOf(value: unknown): string {
  return typeof value === 'string' && /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(value) ? value : 'application/octet-stream';
}

/** Servers repeat structured content as text, for programs that know only text. */
function isSameJson(part: ResultPart, structured: unknown): boolean {
  if (!('text' in part)) return false;
  try {
    return canonicalJson(JSON.parse(part.text)) === canonicalJson(structured);
  } catch {
    return false;
  }
}
