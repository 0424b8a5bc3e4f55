import type { CompositionError } from './prompt-error';
import type { CompositionRecord } from './composition-record';
import type { Embedding } from './redaction';
import { formatSectionPath } from './sections';

/** The structured log entry of one composition attempt, for the caller to log. Section paths are joined with slashes. */
export interface CompositionLog {
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
export function successLog(record: CompositionRecord, embedding: Embedding): CompositionLog {
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
export function failureLog({ delegationId, ...error }: CompositionError, input: unknown): CompositionLog {
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
