import type { SectionNode } from '../layout';
import { bullets, code, isBlank } from '../markdown';
import type { OutputSchema } from '../output-schema';

/** The section for a model API without structured output. The specification fixes its first two paragraphs verbatim. */
export function responseFormat(output: OutputSchema): SectionNode {
  const extraClause = output.allowExtraKeys === true ? '.' : '. Do not add extra keys.';
  const notes = [...(output.fields ?? []).map(fieldNote), ...(output.reporting ?? [])];
  const body = [
    'Return ONLY a single fenced JSON code block. Do not include any text before or after the block.',
    `The top-level JSON value MUST be an ${output.container} that matches the fields of the expected schema${extraClause}`,
    ...(notes.length > 0 ? [bullets(notes)] : []),
  ].join('\n\n');
  return { key: 'response-format', title: 'Response Format', body, tight: true };
}

function fieldNote({ name, description, rules }: NonNullable<OutputSchema['fields']>[number]): string {
  const notes = [description, rules].filter((text) => !isBlank(text));
  return notes.length === 0 ? code(name) : `${code(name)} – ${notes.join(' ')}`;
}
