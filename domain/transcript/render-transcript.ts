import { canonicalJson } from '../kernel';
import { isToolCall, type ReplyBlock } from '../model';
import { code, fenced } from '../prompt';
import type { ReplyEntry } from './entry';
import type { ResolvedEntry } from './chain';

/**
 * Renders a conversation as markdown, for prompts that embed it. Every text is in a code fence of its own, so nothing in
 * it can be mistaken for a part of the prompt. The agent's prompt, changes by operators and what a provider keeps to
 * itself, such as thinking, are left out.
 */
export function renderTranscript(entries: readonly ResolvedEntry[]): string {
  const tools = new Map(entries.flatMap((entry) => (entry.kind === 'reply' ? toolNames(entry) : [])));
  return entries.flatMap((entry) => renderEntry(entry, tools)).join('\n\n');
}

function renderEntry(entry: ResolvedEntry, tools: ReadonlyMap<string, string>): string[] {
  switch (entry.kind) {
    case 'opening':
      return [said('User', entry.firstMessage)];
    case 'note':
      return [said(entry.from === 'operator' ? 'Operator' : 'Engine', entry.text)];
    case 'toolResults':
      return entry.results.map(({ callId, isError, text }) =>
        said(`${isError ? 'Failed result' : 'Result'} of ${code(tools.get(callId) ?? callId)}`, text),
      );
    case 'reply':
      return entry.content.flatMap(renderBlock);
    case 'change':
      return [];
  }
}

function renderBlock(block: ReplyBlock): string[] {
  if (block.type === 'text') return [said('Assistant', block.text)];
  return isToolCall(block) ? [said(`Assistant calls ${code(block.name)}`, canonicalJson(block.input))] : [];
}

function toolNames({ content }: ReplyEntry): (readonly [string, string])[] {
  return content.filter(isToolCall).map(({ id, name }) => [id, name]);
}

function said(by: string, text: string): string {
  return `**${by}**\n\n${fenced(text)}`;
}
