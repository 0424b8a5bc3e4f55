import { PromptError } from '../prompt-error';
import { parseDefinition } from './check';
import type { SectionSpec } from './define';
import { defineSection } from './define';
import type { PromptDefinition } from './schema';

/** The same prompt with more sections, before the one named or at the end: how an agent gets tools with their own guidance. */
export function withSections(
  definition: PromptDefinition,
  added: readonly SectionSpec[],
  before?: string,
): PromptDefinition {
  const { sections } = definition;
  const at = before === undefined ? sections.length : sections.findIndex(({ key }) => key === before);
  if (at === -1) {
    const known = sections.map(({ key }) => key).join(', ');
    throw new PromptError(
      'Prompt.UnknownSection',
      'before',
      `there is no section ${before ?? ''}`,
      `Name one of: ${known}.`,
    );
  }
  return parseDefinition({
    ...definition,
    sections: [...sections.slice(0, at), ...added.map(defineSection), ...sections.slice(at)],
  });
}
