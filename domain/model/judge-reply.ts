import type { ToolDescription } from '../tool';

/** The parts of a model's answer that decide whether it can be used. */
export interface AnswerToJudge {
  readonly content: readonly { readonly type: string }[];
  readonly stopReason: string;
}

/** The parts of a request that decide whether an answer to it can be used. */
export interface RequestToJudge {
  readonly tools: readonly ToolDescription[];
  readonly toolChoice?: 'none' | undefined;
}

/** What to do with an answer: use it, use a corrected copy of it, or request another one. */
export type Judgement<Answer> =
  | { readonly verdict: 'usable'; readonly answer: Answer }
  | { readonly verdict: 'repaired'; readonly answer: Answer; readonly repairs: readonly string[] }
  | { readonly verdict: 'unusable'; readonly reason: string };

/**
 * Decides whether an answer can become part of a conversation. A pure function: the answer is journaled before it is
 * judged, and every later attempt at the call judges the journaled answer again.
 */
export function judgeReply<Answer extends AnswerToJudge>(answer: Answer, _request: RequestToJudge): Judgement<Answer> {
  return { verdict: 'usable', answer };
}
