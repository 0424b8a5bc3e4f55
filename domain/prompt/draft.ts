import type { AuthoredField } from './checks/fields';
import type { Envelope } from './envelope';
import type { AppliedRedaction, Embedding } from './redaction';

/** A composition whose fields have been checked, before it is assembled. */
export interface CompositionDraft {
  readonly whole: Envelope;
  readonly embedding: Embedding;
  readonly redactions: readonly AppliedRedaction[];
  /** All authored texts. The error for a prompt that is too large names the longest. */
  readonly fields: readonly AuthoredField[];
}
