import type { CompositionError } from './prompt-error';
import type { CompositionRecord } from './record';
import type { Embedding } from './redaction';
import { showPath } from './section-path';

/** One structured log line per attempt, to be written by whoever may log. Paths are written with slashes, to be searched. */
export interface CompositionLog {
  readonly event: 'prompt composed' | 'prompt composition failed';
  readonly delegationId: string;
  /** `ns/key` of the parent's prompt, where the input says it. */
  readonly parentPromptKey: string | null;
  readonly inherited: readonly string[];
  readonly withheld: readonly string[];
  readonly parentBytes: number | null;
  readonly promptBytes: number | null;
  readonly error: Omit<CompositionError, 'delegationId'> | null;
}

export function successLog(record: CompositionRecord, embedding: Embedding): CompositionLog {
  return {
    event: 'prompt composed',
    delegationId: record.delegationId,
    parentPromptKey: promptKeyOf(record.input),
    inherited: embedding.inherited.map(showPath),
    withheld: embedding.withheld.map(showPath),
    parentBytes: record.parent.bytes,
    promptBytes: record.prompt.bytes,
    error: null,
  };
}

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

/** A failed input may be anything, so nothing about it is taken for granted. */
function promptKeyOf(input: unknown): string | null {
  const parent = (input as { parent?: { promptNs?: unknown; promptKey?: unknown } | null } | null)?.parent;
  if (typeof parent?.promptNs !== 'string' || typeof parent.promptKey !== 'string') return null;
  return `${parent.promptNs}/${parent.promptKey}`;
}
