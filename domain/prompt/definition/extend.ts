import { PromptError } from '../prompt-error';
import { parseDefinition } from './check';
import type { SectionSpec } from './define';
import { defineSection } from './define';
import type { PromptDefinition } from './prompt-definition';

/** Adds sections to a prompt, before a given section or at the end. Such a section can bring tools and guidance for them. */
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
      `unknown section ${before ?? ''}`,
      `Use one of: ${known}.`,
    );
  }
  return parseDefinition({
    ...definition,
    sections: [...sections.slice(0, at), ...added.map(defineSection), ...sections.slice(at)],
  });
}
