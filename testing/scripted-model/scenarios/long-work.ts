import { type AnswerOptions, type Pace, say, useTool } from '../reply';
import type { Script, ScriptedCall } from '../script';
import { pathsInListing } from './explorer';

/** Recorded in the session, and therefore carried over word for word. */
export const decision = 'All heights are given in centimetres.';
/** Phrase that every handoff request contains. */
export const handoffCue = 'your next message is your last one';
/** Fills the context window with text that is not needed afterwards. */
export const musing = 'I wonder about the gulls.';

const musings = `${musing} They are in no hurry, and neither am I. `.repeat(36);

/**
 * Reads every file of a folder and writes long texts, so that a small context window fills up. When asked for a
 * handoff, it lists what is done and what is left. The next conversation reads only the rest.
 */
export function longWork(pace: AnswerOptions = {}, ofAnswer: Pace = {}): Script {
  // Sending long texts in small chunks would be slow.
  const options = { ...pace, chunkSize: 4_000 };
  return (call) => {
    const work = workIn(call);
    if (call.lastUserText.includes(handoffCue)) return say(handoffOf(work), options);
    if (work.left === undefined) return useTool('list_files', { path: '.', recursive: true }, options);
    if (!work.decided) return useTool('add_note', { text: decision, kind: 'decision' }, { ...options, text: musings });
    const [next] = work.left;
    if (next !== undefined) return useTool('read_file', { path: next }, { ...options, text: musings });
    return say(answerOf(work), { ...options, ...ofAnswer });
  };
}

interface Work {
  readonly done: readonly string[];
  /** Undefined before the files are listed. */
  readonly left: readonly string[] | undefined;
  readonly decided: boolean;
  /** Number of handoffs before this conversation. */
  readonly handoffs: number;
}

/** Derives the progress from the conversation, which starts with a handoff if there was one. */
function workIn({ toolExchanges, firstUserText }: ScriptedCall): Work {
  const number = Number(/<handoff number="(\d+)">/.exec(firstUserText)?.[1] ?? 0);
  const read = toolExchanges.flatMap(({ name, input }) =>
    name === 'read_file' ? [(input as { path: string }).path] : [],
  );
  const before = number === 0 ? [] : pathsUnder(firstUserText, 'Done');
  const listing = toolExchanges.find(({ name }) => name === 'list_files')?.result?.text;
  const known =
    number > 0
      ? pathsUnder(firstUserText, 'Next steps')
      : listing === undefined
        ? undefined
        : pathsInListing('.', listing).filter((path) => !path.endsWith('/'));
  return {
    done: [...before, ...read],
    left: known?.filter((path) => !read.includes(path)),
    decided: number > 0 || toolExchanges.some(({ name }) => name === 'add_note'),
    handoffs: number,
  };
}

function pathsUnder(handoff: string, heading: string): string[] {
  const section = handoff.split(/^## /m).find((part) => part.startsWith(heading)) ?? '';
  return [...section.matchAll(/^- Read (\S+)$/gm)].map(([, path = '']) => path);
}

function handoffOf({ done, left = [], decided }: Work): string {
  return JSON.stringify({
    goal: 'Read every file of the project and say how many there are.',
    done: done.map((path) => `Read ${path}`),
    decisions: decided ? [decision] : [],
    open_questions: [],
    next_steps: left.map((path) => `Read ${path}`),
    artifacts: [],
  });
}

function answerOf({ done, handoffs }: Work): string {
  const hands = handoffs === 0 ? 'in one go' : `with ${handoffs} ${handoffs === 1 ? 'handoff' : 'handoffs'} on the way`;
  return `I read ${done.length} files, ${hands}: ${done.join(', ')}. ${decision}`;
}
