import type { Assembled, PromptPart } from './assemble';
import type { CompositionLog } from './log';
import { failureLog, successLog } from './log';
import type { CompositionError, PromptError } from './prompt-error';
import { toCompositionError } from './prompt-error';
import type { CompositionRecord } from './record';
import type { AppliedRedaction, Embedding } from './redaction';
import type { SectionRange } from './section-path';

/** A composed prompt, with all that an activity needs to store it and to compose the next one from it. */
export interface ComposedPrompt {
  readonly ok: true;
  readonly delegationId: string;
  /** The prompt itself. */
  readonly bytes: Uint8Array;
  readonly hash: string;
  /** Its own sections and those of the embedded prompt; the `parent.sections` of a composition from this prompt. */
  readonly sections: readonly SectionRange[];
  readonly redactions: readonly AppliedRedaction[];
  /** The same prompt as literals and ranges of the parent's prompt. */
  readonly parts: readonly PromptPart[];
  readonly record: CompositionRecord;
  readonly log: CompositionLog;
}

export interface FailedComposition {
  readonly ok: false;
  readonly error: CompositionError;
  readonly log: CompositionLog;
}

export type CompositionResult = ComposedPrompt | FailedComposition;

export function composed(record: CompositionRecord, assembled: Assembled, embedding: Embedding): ComposedPrompt {
  const { delegationId, sections, redactions, parts } = record;
  const log = successLog(record, embedding);
  return { ok: true, delegationId, ...assembled, sections, redactions, parts, record, log };
}

export function notComposed(error: PromptError, delegationId: string, input: unknown): FailedComposition {
  const failure = toCompositionError(error, delegationId);
  return { ok: false, error: failure, log: failureLog(failure, input) };
}
