import { attribute, escapeTags, wrapInTag } from '../kernel';
import { type Handoff, collapseWhitespace } from './handoff-schema';

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
  const lines = items.length === 0 ? ['None.'] : items.map((item) => `- ${collapseWhitespace(item)}`);
  return `## ${heading}\n\n${lines.join('\n')}`;
}

const handoffTag = 'handoff';
const filesTag = 'changed_files';
const maxFilesShown = 200;

/** The facts about a handoff that the first message of the new conversation mentions. */
export interface HandoffContext {
  /** Number of the handoff, 1-based. */
  readonly number: number;
  /** Paths of files that have changed, so that quotations in the agent's instructions may be outdated. */
  readonly changedFiles: readonly string[];
}

/** Builds the first message of the new conversation, which contains the handoff. */
export function handoffFirstMessage(markdown: string, { number, changedFiles }: HandoffContext): string {
  return [
    'An earlier agent with the same instructions worked on your task until its context window was full. Its conversation is gone. This is the handoff it wrote for you:',
    wrapInTag(handoffTag, inside(markdown.trimEnd()), attribute('number', String(number))),
    'Its decisions apply unless they contradict your instructions. The artifacts and the session, with its plan and notes, are still available.',
    ...changes(changedFiles),
    'Continue with the next steps, and do not repeat finished work.',
  ].join('\n\n');
}

function changes(paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  const more = paths.length - maxFilesShown;
  const lines = paths.slice(0, maxFilesShown).map((path) => `- ${collapseWhitespace(path)}`);
  const list = [...lines, ...(more > 0 ? [`(and ${more} more)`] : [])].join('\n');
  const intro = 'These files have changed. Your instructions may quote old versions: read the files again.';
  return [`${intro}\n${wrapInTag(filesTag, inside(list))}`];
}

function inside(text: string): string {
  return escapeTags(text, [handoffTag, filesTag]);
}

/** Returns the artifact name of an agent's handoff: `HANDOFF.md`, then `HANDOFF-2.md` and so on. */
export function handoffName(number: number): string {
  return number <= 1 ? 'HANDOFF.md' : `HANDOFF-${number}.md`;
}

/**
 * Returns the first handoff name from `number` on that no artifact has, so that a handoff never overwrites an artifact.
 */
export function freeHandoffName(number: number, taken: readonly string[], folder?: string): string {
  const names = new Set(taken);
  const nameOf = (at: number): string => `${folder === undefined ? '' : `${folder}/`}${handoffName(at)}`;
  let next = number;
  while (names.has(nameOf(next))) next += 1;
  return nameOf(next);
}
