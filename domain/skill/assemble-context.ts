import { escapeTags, estimateTokens, utf8, wrapInTag } from '../kernel';
import { type AbsentSource, type ContextSource, gatherSources, type SourceText } from './gather-sources';
import { ContextTooLargeError } from './loaded-skill';
import { absentTag, type SkillDefinition } from './skill-definition';

/** One source that is injected into the prompt, with its size. */
interface InjectedPart {
  readonly tag: string;
  /** Path of the file; null for an outline. */
  readonly path: string | null;
  readonly bytes: number;
  readonly estimatedTokens: number;
}

/** The context that is injected into a skill's prompt, with its sizes. Plain JSON. */
export interface AssembledContext {
  readonly text: string;
  readonly parts: readonly InjectedPart[];
  readonly absent: readonly AbsentSource[];
  readonly bytes: number;
  readonly estimatedTokens: number;
}

const nothing = 'No context is injected for this task.';
const escapedNote =
  'Some of the text below looked like a closing tag of this section, so one backslash was added there: read `<\\/` as `</`, and `<\\\\/` as `<\\/`.';

/** Reads the sources of the skill's context slice and joins them into one text, in which no file can close its tag. */
export async function assembleContext(
  { name, slice, limits }: SkillDefinition,
  source: ContextSource,
): Promise<AssembledContext> {
  const { pieces, absent } = await gatherSources(name, slice, source);
  const tags = [...new Set([...slice.map(({ tag }) => tag), absentTag])];
  const blocks = pieces.map((piece) => writeBlock(piece, tags));
  const missing = absent.map(({ source: path, tag, reason }) => `${path} (${tag}): ${reason}`).join('\n');
  const escaped = blocks.some((block) => block.escaped);
  const text = [
    ...(escaped ? [escapedNote] : []),
    ...blocks.map((block) => block.text),
    ...(absent.length === 0 ? [] : [wrapInTag(absentTag, escapeTags(missing, tags))]),
  ].join('\n\n');
  const context = sized(text === '' ? nothing : text, blocks, absent);
  assertContextFits(name, context, limits.maxInjectedTokens);
  return context;
}

interface Block {
  readonly piece: SourceText;
  readonly text: string;
  readonly escaped: boolean;
}

function writeBlock(piece: SourceText, tags: readonly string[]): Block {
  const content = escapeTags(piece.content, tags);
  const text = wrapInTag(piece.tag, content, piece.attributes);
  return { piece, text, escaped: content !== piece.content };
}

function sized(text: string, blocks: readonly Block[], absent: readonly AbsentSource[]): AssembledContext {
  const bytes = utf8(text).length;
  const parts = blocks.map(({ piece, text: block }) => {
    const size = utf8(block).length;
    return { tag: piece.tag, path: piece.path, bytes: size, estimatedTokens: estimateTokens(size) };
  });
  return { text, parts, absent, bytes, estimatedTokens: estimateTokens(bytes) };
}

function assertContextFits(
  skill: string,
  { parts, estimatedTokens: tokens }: AssembledContext,
  limit = Infinity,
): void {
  if (tokens <= limit) return;
  const largest = [...parts].sort((a, b) => b.bytes - a.bytes)[0];
  throw new ContextTooLargeError(skill, tokens, limit, largest?.path ?? largest?.tag ?? 'the list of absent sources');
}
