interface TranscriptEntry {
  readonly kind: string;
  readonly stopReason?: string;
  readonly content?: readonly { readonly type: string; readonly text?: unknown }[];
}

/**
 * Returns the text of the last reply, preceded by the replies that it continues because they were cut off at the output
 * limit. To a reader, these replies are one answer.
 */
export function answerText(entries: readonly TranscriptEntry[]): string {
  const replies = entries.filter((entry) => entry.kind === 'reply');
  const last = replies.length - 1;
  let first = last;
  while (first > 0 && isCutText(replies[first - 1])) first -= 1;
  return replies.slice(first).map(textOf).join('');
}

function isCutText(reply: TranscriptEntry | undefined): boolean {
  return reply?.stopReason === 'max_tokens' && !reply.content?.some((block) => block.type === 'tool_use');
}

function textOf(reply: TranscriptEntry): string {
  return (reply.content ?? [])
    .map((block) => (block.type === 'text' && typeof block.text === 'string' ? block.text : ''))
    .join('');
}
