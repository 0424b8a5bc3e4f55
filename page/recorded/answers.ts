import type { ConversationEntry, ConversationPage } from '../../client/conversation/conversation';
import type { RecordedPageAgent, SearchFrame } from '../protocol';

/** The part of a conversation that a request asks for: before or after a position, else the newest. */
export function pageOf(all: ConversationPage, params: URLSearchParams): ConversationPage {
  const number = (name: string): number | null => (params.has(name) ? Number(params.get(name)) : null);
  const [before, after, limit] = [number('before'), number('after'), number('limit') ?? 50];
  const wanted = all.entries.filter(
    ({ position }) => (before === null || position < before) && (after === null || position > after),
  );
  return { ...all, entries: after === null ? wanted.slice(-limit) : wanted.slice(0, limit) };
}

/** Searches the texts of all agents, one after the other. */
export async function searchEntries(
  q: string,
  paths: readonly string[],
  agent: (path: string) => Promise<RecordedPageAgent>,
  onFrame: (frame: SearchFrame) => void,
  signal: AbortSignal,
): Promise<void> {
  const wanted = q.toLowerCase();
  for (const [index, path] of paths.entries()) {
    if (signal.aborted) return;
    const { entries } = await agent(path);
    for (const entry of entries.entries) {
      const line = textsOf(entry)
        .flatMap((text) => text.split('\n'))
        .find((each) => each.toLowerCase().includes(wanted));
      if (line !== undefined) onFrame({ hit: { path, turn: entry.kind === 'turn' ? entry.turn : null, line } });
    }
    onFrame({ searched: index + 1, of: paths.length, done: index + 1 === paths.length });
  }
}

function textsOf(entry: ConversationEntry): string[] {
  if (entry.kind === 'message') return [entry.text.text];
  if (entry.kind !== 'turn') return [entry.text];
  const said = [...entry.text, ...entry.thinking].map(({ text }) => text);
  const called = entry.calls.flatMap((call) => [call.arguments.text, call.result?.text ?? '']);
  return [...said, ...called];
}
