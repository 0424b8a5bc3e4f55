import type { AssembledPrompt, PromptPart } from './document';
import type { CompositionLog } from './log';
import { failureLog, successLog } from './log';
import type { CompositionError, PromptError } from './prompt-error';
import { toCompositionError } from './prompt-error';
import type { CompositionRecord } from './composition-record';
import type { AppliedRedaction, Embedding } from './redaction';
import type { SectionRange } from './sections';

/** A composed prompt, with everything needed to store it and to compose another prompt from it. */
export interface ComposedPrompt {
  readonly ok: true;
  readonly delegationId: string;
  /** UTF-8 bytes of the prompt. */
  readonly bytes: Uint8Array;
  readonly hash: string;
  /** Sections of this composition and of the embedded prompt. They are `parent.sections` of a composition from this prompt. */
  readonly sections: readonly SectionRange[];
  readonly redactions: readonly AppliedRedaction[];
  /** The prompt as literals and ranges of the parent's prompt. */
  readonly parts: readonly PromptPart[];
  readonly record: CompositionRecord;
  readonly log: CompositionLog;
}

/** A composition that failed, with the error for the parent and the log entry. */
export interface FailedComposition {
  readonly ok: false;
  readonly error: CompositionError;
  readonly log: CompositionLog;
}

/** The result of composing or wrapping a prompt. */
export type CompositionResult = ComposedPrompt | FailedComposition;

/** Builds the result of a successful composition. */
export function compositionSucceeded(
  record: CompositionRecord,
  assembled: AssembledPrompt,
  embedding: Embedding,
): ComposedPrompt {
  const { delegationId, sections, redactions, parts } = record;
  const log = successLog(record, embedding);
  return { ok: true, delegationId, ...assembled, sections, redactions, parts, record, log };
}

/** Builds the result of a failed composition. */
export function compositionFailed(error: PromptError, delegationId: string, input: unknown): FailedComposition {
  const failure = toCompositionError(error, delegationId);
  return { ok: false, error: failure, log: failureLog(failure, input) };
}
