import type { Boundary, RenderedPrompt } from './rendered-prompt';
import { tokensIn } from './tokens';

/** How the tokens of a prompt divide; the three counts add up to all of it. */
export interface InputTokens {
  readonly read: number;
  readonly written: number;
  readonly uncached: number;
  readonly ttl: '5m' | '1h';
}

/** From a breakpoint the API looks back over so many blocks for a prefix it has, and no further. */
const lookBack = 20;

/** Remembers the prefixes that ended at a cache breakpoint. They never expire: a server lives for one test or demo. */
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
