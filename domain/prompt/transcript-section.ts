import { utf8 } from '../hash';
import { transcriptPath } from './level';
import { block, isBlank } from './markdown';
import { quoteMarkers } from './markers';
import type { SectionRange } from './section-path';

export interface PromptText {
  readonly markdown: string;
  readonly sections: readonly SectionRange[];
}

/**
 * The parent's prompt with its conversation as a last section, for definitions that ask for `transcript: full`. The
 * conversation may quote anything, a composed prompt too, so markers in it are made harmless: they are not nesting.
 */
export function withTranscript({ markdown, sections }: PromptText, transcript: string): PromptText {
  const gap = markdown.endsWith('\n') ? '\n' : '\n\n';
  const text = quoteMarkers(isBlank(transcript) ? 'Nothing was said yet.' : block(transcript));
  const section = `## Transcript\n\n${text}\n`;
  const start = utf8(markdown + gap).length;
  return {
    markdown: markdown + gap + section,
    sections: [...sections, { path: transcriptPath(sections), start, end: start + utf8(section).length }],
  };
}
