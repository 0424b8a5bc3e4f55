import { estimateTokens, utf8 } from '../kernel';
import type { Usage } from './prices';

/** An answer with the token counts that the provider reported. */
interface CountedAnswer {
  readonly content: readonly unknown[];
  readonly usage: Usage;
}

/** What fills the context window: the parts of a request that are counted. */
interface CountedRequest {
  readonly system: string;
  readonly tools: readonly unknown[];
  readonly messages: readonly unknown[];
}

/** Larger values are invalid. Their sums could not be represented exactly. */
const maxTokensPerCall = 1_000_000_000;

/**
 * Replaces token counts that cannot be true by estimates, and marks the usage as estimated: budgets and the threshold of
 * a handoff depend on it. Some servers report zero, or nothing at all, which the model port passes on as zero.
 */
export function withEstimatedUsage<Answer extends CountedAnswer>(answer: Answer, request: CountedRequest): Answer {
  const { input, cacheRead, cacheWrite, output } = answer.usage;
  const prompt = input + cacheRead + cacheWrite;
  const isPromptCounted = prompt > 0 && prompt <= maxTokensPerCall;
  const isOutputCounted = output <= maxTokensPerCall && (output > 0 || answer.content.length === 0);
  if (isPromptCounted && isOutputCounted) return answer;
  const { system, tools, messages } = request;
  const estimated: Usage = {
    ...(isPromptCounted
      ? { input, cacheRead, cacheWrite }
      : { input: tokensOf([system, tools, messages]), cacheRead: 0, cacheWrite: 0 }),
    output: isOutputCounted ? output : tokensOf(answer.content),
    estimated: true,
  };
  return { ...answer, usage: estimated };
}

function tokensOf(value: unknown): number {
  return estimateTokens(utf8(JSON.stringify(value)).length);
}
