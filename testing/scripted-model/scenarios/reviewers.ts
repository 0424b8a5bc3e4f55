import { fail } from '../reply/failures';
import { type AnswerOptions, refuse, say, type ScriptedReply, useTool } from '../reply/reply';
import type { Script, ScriptedCall } from '../script';

const review = 'REVIEW.md';

/** Options of `reviewers`. */
export interface ReviewersOptions extends AnswerOptions {
  /** Subjects to review, one reviewer each. */
  readonly subjects?: readonly string[];
  /** The subject whose reviewer's first model call fails with an invalid API key. A retry succeeds. */
  readonly lockedOut?: string;
}

/**
 * Dispatches reviewers concurrently, then reads the file that all of them wrote to. Each reviewer appends a line to
 * whatever the others have written by then. A reviewer without a file to review refuses.
 */
export function reviewers(options: ReviewersOptions = {}): Script {
  const { subjects = ['README.md', 'src/gauge.ts', 'the weather'], lockedOut, ...pace } = options;
  return (call) => {
    const subject = /\*\*Reason\*\* – Review (.+)\./.exec(call.systemText)?.[1];
    if (subject === undefined) return asParent(call, subjects, pace);
    if (subject === lockedOut && call.turn === 0 && call.attempt === 0) {
      return fail(401, { message: 'invalid x-api-key' });
    }
    return asReviewer(call, subject, pace);
  };
}

function asParent({ toolExchanges }: ScriptedCall, subjects: readonly string[], pace: AnswerOptions): ScriptedReply {
  const [dispatched, read] = toolExchanges;
  if (dispatched === undefined) {
    const delegations = subjects.map((subject) => ({
      reason: `Review ${subject}.`,
      expected_result: `A line about it in ${review}.`,
      may_delegate_further: 'no',
      recap_lines: [`Read ${subject}`, `Add a line to ${review}`],
    }));
    return useTool('dispatch_subagents', { delegations }, { ...pace, text: 'These can be done at the same time.' });
  }
  if (read === undefined) return useTool('read_file', { path: review }, pace);
  return say(`${dispatched.result?.text ?? ''}\n\n${review}:\n${read.result?.text ?? ''}`, pace);
}

function asReviewer({ toolExchanges }: ScriptedCall, subject: string, pace: AnswerOptions): ScriptedReply {
  if (!subject.includes('.')) return refuse('There is nothing to read about that.', pace);
  const last = toolExchanges.at(-1);
  if (last === undefined) return useTool('read_file', { path: subject }, pace);
  const written = last.name === 'write_file' && last.result?.isError === false;
  if (written) return say(`Reviewed ${subject}.`, pace);
  // After reading the subject, and after a write that conflicted, reads what the others have written.
  const looked = last.name === 'read_file' && (last.input as { path?: unknown }).path === review;
  if (!looked) return useTool('read_file', { path: review }, pace);
  const before = last.result?.isError === false ? last.result.text : '';
  return useTool('write_file', { path: review, content: `${before}${lineAbout(subject, toolExchanges)}\n` }, pace);
}

function lineAbout(subject: string, exchanges: ScriptedCall['toolExchanges']): string {
  const text = exchanges[0]?.result?.text ?? '';
  return `- ${subject}: ${text.split('\n').length} lines`;
}
