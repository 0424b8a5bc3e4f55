import { type Boundary, type RenderedPrompt, tokensIn } from './rendered-prompt';

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

  /** Counts the prompt and remembers its breakpoints. */
  use(prompt: RenderedPrompt): InputTokens {
    const counted = this.count(prompt);
    for (const { digest, breakpoint } of prompt.boundaries) if (breakpoint) this.#written.add(digest);
    return counted;
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
