import type { Json } from '../json';

export type ContentBlock = { readonly type: string } & Readonly<Record<string, Json | undefined>>;

/** A message in the form that the Messages API takes; content blocks of replies are passed back as they came. */
export interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: readonly ContentBlock[];
}

/** A transcript entry with its texts loaded, as far as it is part of the conversation. */
export type SpokenEntry =
  | { readonly kind: 'opening'; readonly firstMessage: string }
  | { readonly kind: 'toolResults'; readonly results: readonly SpokenResult[] }
  | { readonly kind: 'note'; readonly text: string }
  /** Not a part of what is said. */
  | { readonly kind: 'change' }
  | { readonly kind: 'reply'; readonly content: readonly { readonly type: string }[] };

export interface SpokenResult {
  readonly callId: string;
  readonly isError: boolean;
  readonly text: string;
}

/** The conversation as the provider wants it: roles alternate, so neighbours of one role become one message. */
export function toMessages(entries: readonly SpokenEntry[]): Message[] {
  const messages: { role: Message['role']; content: ContentBlock[] }[] = [];
  for (const entry of entries) {
    const role = entry.kind === 'reply' ? 'assistant' : 'user';
    const content = blocksOf(entry);
    if (content.length === 0) continue;
    const last = messages.at(-1);
    if (last?.role === role) last.content.push(...content);
    else messages.push({ role, content: [...content] });
  }
  return messages;
}

function blocksOf(entry: SpokenEntry): readonly ContentBlock[] {
  switch (entry.kind) {
    case 'opening':
      return [{ type: 'text', text: entry.firstMessage }];
    case 'change':
      return [];
    case 'note':
      return [{ type: 'text', text: entry.text }];
    case 'reply':
      return entry.content;
    case 'toolResults':
      return entry.results.map(({ callId, isError, text }) => ({
        type: 'tool_result',
        tool_use_id: callId,
        ...(isError ? { is_error: true } : {}),
        // The provider refuses an empty text block.
        content: text === '' ? '(empty)' : text,
      }));
  }
}
