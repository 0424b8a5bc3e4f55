import { oneLine, type Handoff } from './handoff-schema';

/**
 * Renders a handoff as Markdown. Every text is one line that begins with `- `, so that no text can be mistaken for one
 * of the fixed headings.
 */
export function renderHandoff(handoff: Handoff): string {
  const { goal, done, decisions, open_questions, next_steps, artifacts } = handoff;
  const parts = [
    '# Handoff',
    section('Goal', [goal]),
    section('Done', done),
    section('Decisions', decisions),
    section('Open questions', open_questions),
    section('Next steps', next_steps),
    section('Artifacts', artifacts),
  ];
  return `${parts.join('\n\n')}\n`;
}

function section(heading: string, items: readonly string[]): string {
  const lines = items.length === 0 ? ['None.'] : items.map((item) => `- ${oneLine(item)}`);
  return `## ${heading}\n\n${lines.join('\n')}`;
}
