import { utf8 } from '../kernel';
import type { AuthoredField } from './checks/text-rules';
import type { PromptPart } from './document';
import type { SectionLayout } from './layout';
import { endDelimiter, startDelimiter } from './markers';
import type { AppliedRedaction, Embedding } from './redaction';
import { type SectionPath, type SectionRange, shiftSections } from './sections';

/** A composed prompt as parts, with the byte ranges of its sections and its total size. */
export interface Envelope {
  readonly parts: readonly PromptPart[];
  readonly sections: readonly SectionRange[];
  readonly bytes: number;
}

/** The texts around the parent's prompt, and the embedded prompt itself. */
export interface EnvelopePieces {
  /** Sections before the parent's prompt, laid out with `followed`. */
  readonly before: SectionLayout;
  readonly parentPrompt: { readonly path: SectionPath; readonly heading: string };
  readonly after: SectionLayout;
  readonly embedding: Embedding;
}

/** Puts the parent's prompt between its markers and the other sections around it. */
export function envelope({ before, parentPrompt, after, embedding }: EnvelopePieces): Envelope {
  const head = `${parentPrompt.heading}\n\n${startDelimiter}`;
  // As in `layOut`, the empty line before the next section belongs to the section that ends there.
  const foot = after.text === '' ? endDelimiter : `${endDelimiter}\n`;
  const embeddedAt = before.byteLength + utf8(head).length;
  const afterAt = embeddedAt + embedding.bytes + utf8(foot).length;
  return {
    parts: [
      { literal: before.text + head },
      ...embedding.kept.map(({ start, end }) => ({ parentRange: { start, end } })),
      { literal: foot + after.text },
    ],
    sections: [
      ...before.sections,
      { path: parentPrompt.path, start: before.byteLength, end: afterAt },
      ...shiftSections(embedding.sections, embeddedAt),
      ...shiftSections(after.sections, afterAt),
    ],
    bytes: afterAt + after.byteLength,
  };
}

/** A composition whose fields have been checked, before it is assembled. */
export interface CompositionDraft {
  readonly whole: Envelope;
  readonly embedding: Embedding;
  readonly redactions: readonly AppliedRedaction[];
  /** All authored texts. The error for a prompt that is too large names the longest. */
  readonly fields: readonly AuthoredField[];
}
