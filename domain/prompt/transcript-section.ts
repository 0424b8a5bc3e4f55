import { utf8 } from '../kernel/hash';
import { transcriptPath } from './level';
import { block, isBlank } from './markdown';
import { neutralizeMarkers } from './markers';
import type { SectionRange } from './sections';

/** The text of a prompt and its section index. */
export interface PromptText {
  readonly markdown: string;
  readonly sections: readonly SectionRange[];
}

/**
 * Appends the parent's conversation to its prompt as a last section, for definitions with `transcript: full`. The
 * conversation may quote a composed prompt, so its markers are neutralized and are not read as nesting.
 */
export function withTranscript({ markdown, sections }: PromptText, transcript: string): PromptText {
  const gap = markdown.endsWith('\n') ? '\n' : '\n\n';
  const text = neutralizeMarkers(isBlank(transcript) ? 'Nothing was said yet.' : block(transcript));
  const section = `## Transcript\n\n${text}\n`;
  const start = utf8(markdown + gap).length;
  return {
    markdown: markdown + gap + section,
    sections: [...sections, { path: transcriptPath(sections), start, end: start + utf8(section).length }],
  };
}
