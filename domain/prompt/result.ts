import type { CompositionRecord } from './composition-record';
import type { AssembledPrompt, PromptPart } from './document';
import { type CompositionError, type PromptError, toCompositionError } from './prompt-error';
import type { AppliedRedaction, Embedding } from './redaction';
import { formatSectionPath, type SectionRange } from './sections';

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

/** The structured log entry of one composition attempt, for the caller to log. Section paths are joined with slashes. */
interface CompositionLog {
  readonly event: 'prompt composed' | 'prompt composition failed';
  readonly delegationId: string;
  /** `ns/key` of the parent's prompt; null if the input does not contain it. */
  readonly parentPromptKey: string | null;
  readonly inherited: readonly string[];
  readonly withheld: readonly string[];
  readonly parentBytes: number | null;
  readonly promptBytes: number | null;
  readonly error: Omit<CompositionError, 'delegationId'> | null;
}

/** Returns the log entry of a successful composition. */
function successLog(record: CompositionRecord, embedding: Embedding): CompositionLog {
  return {
    event: 'prompt composed',
    delegationId: record.delegationId,
    parentPromptKey: promptKeyOf(record.input),
    inherited: embedding.inherited.map(formatSectionPath),
    withheld: embedding.withheld.map(formatSectionPath),
    parentBytes: record.parent.bytes,
    promptBytes: record.prompt.bytes,
    error: null,
  };
}

/** Returns the log entry of a failed composition. */
function failureLog({ delegationId, ...error }: CompositionError, input: unknown): CompositionLog {
  return {
    event: 'prompt composition failed',
    delegationId,
    parentPromptKey: promptKeyOf(input),
    inherited: [],
    withheld: [],
    parentBytes: null,
    promptBytes: null,
    error,
  };
}

/** Reads the prompt key from an input that may not have been validated. */
function promptKeyOf(input: unknown): string | null {
  const parent = (input as { parent?: { promptNs?: unknown; promptKey?: unknown } | null } | null)?.parent;
  if (typeof parent?.promptNs !== 'string' || typeof parent.promptKey !== 'string') return null;
  return `${parent.promptNs}/${parent.promptKey}`;
}
