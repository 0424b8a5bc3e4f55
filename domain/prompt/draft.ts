import type { AuthoredField } from './checks/fields';
import type { Envelope } from './envelope';
import type { AppliedRedaction, Embedding } from './redaction';

/** A prompt whose every field was checked, not yet assembled. */
export interface Draft {
  readonly whole: Envelope;
  readonly embedding: Embedding;
  readonly redactions: readonly AppliedRedaction[];
  /** The authored texts: the longest is named when the whole is too large. */
  readonly fields: readonly AuthoredField[];
}
