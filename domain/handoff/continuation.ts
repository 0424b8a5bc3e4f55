import { attribute, escapeTags, wrapInTag } from '../kernel/escape';
import { oneLine } from './handoff-schema';

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
  const lines = paths.slice(0, maxFilesShown).map((path) => `- ${oneLine(path)}`);
  const list = [...lines, ...(more > 0 ? [`(and ${more} more)`] : [])].join('\n');
  const intro = 'These files have changed. Your instructions may quote old versions: read the files again.';
  return [`${intro}\n${wrapInTag(filesTag, inside(list))}`];
}

function inside(text: string): string {
  return escapeTags(text, [handoffTag, filesTag]);
}
