import type { ContentBlock, ReplyBlock } from './blocks';
import { parseModelName } from './model-name';
import { withoutForeignParts } from './provider-change';

/** A message to a model. The blocks of its own replies are sent back with their provider data. */
export interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: readonly ContentBlock[];
}

/** A transcript entry with its texts loaded, reduced to the fields that become messages. */
export type ConversationEntry =
  | { readonly kind: 'opening'; readonly firstMessage: string; readonly model: NamedModel }
  | { readonly kind: 'toolResults'; readonly results: readonly ConversationResult[] }
  | { readonly kind: 'note'; readonly text: string }
  /** A change that an operator made. It is not sent to the model. */
  | { readonly kind: 'change'; readonly model?: NamedModel | undefined }
  | { readonly kind: 'reply'; readonly content: readonly ReplyBlock[] };

interface NamedModel {
  readonly name: string;
}

/** A tool result with its text loaded. */
interface ConversationResult {
  readonly callId: string;
  readonly isError: boolean;
  readonly text: string;
}

/**
 * Converts a transcript into messages to a model. Providers require alternating roles, so adjacent entries of one role
 * are joined. Parts of replies that only another provider understands are left out.
 */
export function toMessages(entries: readonly ConversationEntry[], model: NamedModel): Message[] {
  const messages: { role: Message['role']; content: ContentBlock[] }[] = [];
  for (const entry of withoutForeignParts(entries, parseModelName(model.name).provider)) {
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
      return entry.results.map(({ callId, isError, text }) => ({ type: 'toolResult', callId, isError, text }));
  }
}
