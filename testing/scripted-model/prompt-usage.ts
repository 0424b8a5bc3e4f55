import { blocksOf, type PromptRequest, type RequestBlock } from './api';
import { sha256, stableJson } from './call-log';

/** A position between two blocks of the prompt, identified by the digest of everything before it. */
export interface Boundary {
  readonly digest: string;
  readonly bytes: number;
  /** Lifetime of the cache breakpoint at this position; undefined when there is none. */
  readonly breakpoint: '5m' | '1h' | undefined;
}

/** The prompt as a chain of blocks in the API's order: tools, system, messages. */
export interface RenderedPrompt {
  readonly start: Boundary;
  /** The boundary after each block, in order. */
  readonly boundaries: readonly Boundary[];
  readonly end: Boundary;
  /** Returns the boundary before a block, by the index of its message and its index in the message. */
  before(message: number, block: number): Boundary;
}

interface CacheMark {
  readonly cache_control?: { readonly ttl?: '5m' | '1h' } | null;
}

interface Rendered {
  readonly digest: string;
  readonly bytes: number;
}

const renderedBlocks = new WeakMap<RequestBlock, Rendered>();

/** Renders a prompt as a chain of boundaries. */
export function renderPrompt(request: PromptRequest): RenderedPrompt {
  const chain = new Chain({ digest: sha256(request.model), bytes: 0, breakpoint: undefined });
  for (const tool of request.tools ?? []) chain.add(rendered(stableJson({ ...tool, cache_control: undefined })), tool);
  for (const block of systemBlocks(request.system)) chain.add(rendered(`system:${block.text}`), block);
  const messageStarts: number[] = [];
  for (const message of request.messages) {
    messageStarts.push(chain.boundaries.length);
    for (const block of blocksOf(message)) chain.add(renderOnce(message.role, block), block);
  }
  if (request.cache_control) chain.markEnd(request.cache_control.ttl ?? '5m');
  const at = (index: number): Boundary => chain.boundaries[index - 1] ?? chain.start;
  return {
    start: chain.start,
    boundaries: chain.boundaries,
    end: chain.end,
    before: (message, block) => at((messageStarts[message] ?? 0) + block),
  };
}

/** Returns the boundary after one more block. */
export function extend(boundary: Boundary, role: string, block: RequestBlock): Boundary {
  return next(boundary, renderOnce(role, block), undefined);
}

class Chain {
  readonly boundaries: Boundary[] = [];

  constructor(readonly start: Boundary) {}

  get end(): Boundary {
    return this.boundaries.at(-1) ?? this.start;
  }

  add(part: Rendered, marked: object): void {
    const mark = (marked as CacheMark).cache_control;
    this.boundaries.push(next(this.end, part, mark ? (mark.ttl ?? '5m') : undefined));
  }

  markEnd(ttl: '5m' | '1h'): void {
    const last = this.boundaries.pop();
    if (last) this.boundaries.push({ ...last, breakpoint: last.breakpoint ?? ttl });
  }
}

function next(from: Boundary, part: Rendered, breakpoint: Boundary['breakpoint']): Boundary {
  return { digest: sha256(from.digest, part.digest), bytes: from.bytes + part.bytes, breakpoint };
}

function rendered(text: string): Rendered {
  return { digest: sha256(text), bytes: Buffer.byteLength(text) };
}

/**
 * Caches rendered blocks, because long conversations repeat the same blocks in every request. A block's role never
 * changes.
 */
function renderOnce(role: string, block: RequestBlock): Rendered {
  const known = renderedBlocks.get(block) ?? rendered(renderBlock(role, block));
  renderedBlocks.set(block, known);
  return known;
}

function systemBlocks(system: PromptRequest['system']): readonly { readonly text: string }[] {
  return typeof system === 'string' ? [{ text: system }] : (system ?? []);
}

/**
 * Renders only what the model sees, because clients may omit the response's null fields when they send a block back.
 */
function renderBlock(role: string, block: RequestBlock): string {
  switch (block.type) {
    case 'text':
      return `${role}:${block.text}`;
    case 'tool_use':
      return `${role}:${stableJson([block.id, block.name, block.input])}`;
    case 'thinking':
      return `${role}:${stableJson([block.thinking, block.signature])}`;
    default:
      return `${role}:${stableJson({ ...block, cache_control: undefined })}`;
  }
}

/** Assumed bytes per token: close enough to reality, and the same on every machine. */
export const bytesPerToken = 4;

/** Returns the number of tokens in this many bytes. */
export function tokensIn(bytes: number): number {
  return Math.ceil(bytes / bytesPerToken);
}

/**
 * Signs a thinking block together with everything before it, so that an edited or reordered conversation is detected.
 */
export function signThinking(thinking: string, before: Boundary): string {
  return sha256('thinking', before.digest, thinking);
}

/** The token counts of a prompt. The three counts add up to the whole prompt. */
export interface InputTokens {
  readonly read: number;
  readonly written: number;
  readonly uncached: number;
  readonly ttl: '5m' | '1h';
}

/** Maximum number of blocks before a breakpoint in which the API looks for a cached prefix. */
const lookBack = 20;

/**
 * Remembers the prefixes that ended at a cache breakpoint. They never expire, because a server lives for one test or
 * demo.
 */
export class PromptCache {
  readonly #written = new Set<string>();
  readonly #seen = new Set<string>();

  /** Counts the prompt and remembers its breakpoints. */
  use(prompt: RenderedPrompt): InputTokens {
    const counted = this.count(prompt);
    for (const { digest, breakpoint } of prompt.boundaries) if (breakpoint) this.#written.add(digest);
    return counted;
  }

  /** Counts the prompt for an API that caches every prefix without being asked, and remembers all of its prefixes. */
  useAutomatic({ boundaries, end }: RenderedPrompt): InputTokens {
    const known = boundaries.filter(({ digest }) => this.#seen.has(digest)).at(-1);
    for (const { digest } of boundaries) this.#seen.add(digest);
    const read = tokensIn(known?.bytes ?? 0);
    return { read, written: 0, uncached: tokensIn(end.bytes) - read, ttl: '5m' };
  }

  count(prompt: RenderedPrompt): InputTokens {
    const total = tokensIn(prompt.end.bytes);
    const last = prompt.boundaries.filter((boundary) => boundary.breakpoint !== undefined).at(-1);
    const cached = last ? tokensIn(last.bytes) : 0;
    const read = tokensIn(this.#longestKnown(prompt.boundaries)?.bytes ?? 0);
    return { read, written: cached - read, uncached: total - cached, ttl: last?.breakpoint ?? '5m' };
  }

  #longestKnown(boundaries: readonly Boundary[]): Boundary | undefined {
    const reachable = boundaries.filter((_, at) =>
      boundaries.slice(at, at + lookBack).some((boundary) => boundary.breakpoint !== undefined),
    );
    return reachable.filter((boundary) => this.#written.has(boundary.digest)).at(-1);
  }
}
