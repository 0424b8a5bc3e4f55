interface SaidEntry {
  readonly kind: string;
  readonly stopReason?: string;
  readonly content?: readonly { readonly type: string; readonly text?: unknown }[];
}

/**
 * The text of the last reply, together with the replies before it that were cut off at the output limit and that it
 * goes on from: to a reader they are one answer.
 */
export function answerText(entries: readonly SaidEntry[]): string {
  const replies = entries.filter((entry) => entry.kind === 'reply');
  const last = replies.length - 1;
  let first = last;
  while (first > 0 && isCutText(replies[first - 1])) first -= 1;
  return replies.slice(first).map(textOf).join('');
}

function isCutText(reply: SaidEntry | undefined): boolean {
  return reply?.stopReason === 'max_tokens' && !reply.content?.some((block) => block.type === 'tool_use');
}

function textOf(reply: SaidEntry): string {
  return (reply.content ?? [])
    .map((block) => (block.type === 'text' && typeof block.text === 'string' ? block.text : ''))
    .join('');
}
