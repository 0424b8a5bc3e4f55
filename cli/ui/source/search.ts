import type { ConversationEntry, ConversationText } from '../../../client/conversation/conversation';
import type { Conversations } from '../../../client/conversation/conversations';
import type { SearchFrame } from '../../../page/protocol';

/** An agent to search. */
export interface SearchedAgent {
  readonly path: string;
  readonly workflowId: string;
}

const pageLength = 200;
/** Longest text that is read whole to be searched; of longer ones, the beginning is. */
const maxWholeBytes = 1024 * 1024;
const lineLength = 200;

/** Searches the texts of all agents, in the order of the agents. Upper and lower case are the same. */
export async function* searchTexts(
  conversations: Conversations,
  agents: readonly SearchedAgent[],
  text: string,
  signal: AbortSignal,
): AsyncGenerator<SearchFrame, void, undefined> {
  const wanted = text.toLowerCase();
  let searched = 0;
  for (const agent of agents) {
    if (signal.aborted) return;
    yield* searchAgent(conversations, agent, wanted, signal);
    searched += 1;
    yield { searched, of: agents.length, done: searched === agents.length };
  }
}

async function* searchAgent(
  conversations: Conversations,
  { path, workflowId }: SearchedAgent,
  wanted: string,
  signal: AbortSignal,
): AsyncGenerator<SearchFrame, void, undefined> {
  for (let after = -1; !signal.aborted;) {
    const page = await conversations.read(workflowId, { after, limit: pageLength }).catch(() => undefined);
    if (page === undefined || page.entries.length === 0) return;
    for (const entry of page.entries) {
      const turn = entry.kind === 'turn' ? entry.turn : null;
      for (const shown of textsOf(entry)) {
        const line = lineWith(await wholeOf(conversations, workflowId, shown), wanted);
        if (line !== undefined) yield { hit: { path, turn, line } };
      }
      after = entry.position;
    }
  }
}

async function wholeOf(
  conversations: Conversations,
  workflowId: string,
  { text, whole }: ConversationText,
): Promise<string> {
  if (whole === undefined || whole.bytes > maxWholeBytes) return text;
  return (await conversations.text(workflowId, whole.hash).catch(() => undefined)) ?? text;
}

function textsOf(entry: ConversationEntry): readonly ConversationText[] {
  if (entry.kind === 'turn') {
    const calls = entry.calls.flatMap(({ arguments: given, result }) => (result === null ? [given] : [given, result]));
    return [...entry.thinking, ...entry.text, ...calls];
  }
  return [typeof entry.text === 'string' ? { text: entry.text } : entry.text];
}

function lineWith(text: string, wanted: string): string | undefined {
  const at = text.toLowerCase().indexOf(wanted);
  if (at === -1) return undefined;
  const start = Math.max(text.lastIndexOf('\n', at) + 1, at - lineLength / 2);
  const end = text.indexOf('\n', at);
  return text.slice(start, Math.min(end === -1 ? text.length : end, start + lineLength));
}
