import type { Json } from '../kernel';

/** A content block of the Messages API. */
export type ContentBlock = { readonly type: string } & Readonly<Record<string, Json | undefined>>;

/** A message of the Messages API. Content blocks of replies are sent back to the provider unchanged. */
export interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: readonly ContentBlock[];
}

/** A transcript entry with its texts loaded, reduced to the fields that become messages. */
export type ConversationEntry =
  | { readonly kind: 'opening'; readonly firstMessage: string }
  | { readonly kind: 'toolResults'; readonly results: readonly ConversationResult[] }
  | { readonly kind: 'note'; readonly text: string }
  /** A change that an operator made. It is not sent to the model. */
  | { readonly kind: 'change' }
  | { readonly kind: 'reply'; readonly content: readonly { readonly type: string }[] };

/** A tool result with its text loaded. */
interface ConversationResult {
  readonly callId: string;
  readonly isError: boolean;
  readonly text: string;
}

/**
 * Converts a transcript into messages. The provider requires alternating roles, so adjacent entries of one role are
 * joined.
 */
export function toMessages(entries: readonly ConversationEntry[]): Message[] {
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

function blocksOf(entry: ConversationEntry): readonly ContentBlock[] {
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
        // The provider rejects an empty text block.
        content: text === '' ? '(empty)' : text,
      }));
  }
}
