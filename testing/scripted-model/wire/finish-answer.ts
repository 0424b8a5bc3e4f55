import type { StopReason } from '../api';
import type { Answer } from '../reply';
import { bytesPerToken, tokensIn } from '../prompt-usage';

/** A block to send. A tool's input is its JSON text, because a limit may truncate it anywhere. */
export type OutBlock =
  | { readonly type: 'thinking'; readonly content: string }
  | { readonly type: 'text'; readonly content: string }
  | { readonly type: 'tool_use'; readonly content: string; readonly name: string; readonly id: string };

/** A reply after stop sequences and limits were applied. */
export interface FinishedAnswer {
  readonly blocks: readonly OutBlock[];
  readonly stopReason: StopReason;
  readonly stopSequence: string | null;
  readonly outputTokens: number;
}

/** The limits of a request. */
export interface Limits {
  readonly stopSequences: readonly string[];
  readonly maxTokens: number;
  /** Tokens left in the model's context window. Reaching this limit has its own stop reason. */
  readonly roomInWindow: number;
}

/** Applies stop sequences and limits to a reply, block by block, as if a model had written it. */
export function finishAnswer(answer: Answer, toolId: (ordinal: number) => string, limits: Limits): FinishedAnswer {
  const allowed = Math.min(limits.maxTokens, limits.roomInWindow) * bytesPerToken;
  const blocks: OutBlock[] = [];
  let bytes = 0;
  let stop: Pick<FinishedAnswer, 'stopReason' | 'stopSequence'> | undefined;
  for (const block of blocksOf(answer, toolId)) {
    const fitting = cutToBytes(block.content, allowed - bytes);
    const stopped = cutAtStopSequence(block, fitting, limits.stopSequences);
    const content = stopped?.text ?? fitting;
    bytes += Buffer.byteLength(content);
    if (content !== '' || block.type === 'thinking') blocks.push({ ...block, content });
    if (stopped) stop = { stopReason: 'stop_sequence', stopSequence: stopped.sequence };
    else if (fitting !== block.content) stop = { stopReason: reasonOfLimit(limits), stopSequence: null };
    if (stop) break;
  }
  stop ??= { stopReason: naturalReason(answer), stopSequence: null };
  return { blocks, outputTokens: tokensIn(bytes), ...stop };
}

function blocksOf(answer: Answer, toolId: (ordinal: number) => string): OutBlock[] {
  const thinking: OutBlock[] = answer.thinking === undefined ? [] : [{ type: 'thinking', content: answer.thinking }];
  const text: OutBlock[] = answer.text === '' ? [] : [{ type: 'text', content: answer.text }];
  const tools = answer.tools.map(({ name, input, id, json }, ordinal): OutBlock => ({
    type: 'tool_use',
    name,
    id: id ?? toolId(ordinal),
    content: json ?? JSON.stringify(input ?? {}),
  }));
  return [...thinking, ...text, ...tools];
}

function naturalReason(answer: Answer): StopReason {
  return answer.stopReason ?? (answer.tools.length > 0 ? 'tool_use' : 'end_turn');
}

function reasonOfLimit({ maxTokens, roomInWindow }: Limits): StopReason {
  return roomInWindow < maxTokens ? 'model_context_window_exceeded' : 'max_tokens';
}

/**
 * Cuts at the first stop sequence. This also applies to the input of a tool, which is the harder case for a client, but
 * never to thinking.
 */
function cutAtStopSequence(
  { type }: OutBlock,
  text: string,
  sequences: readonly string[],
): { text: string; sequence: string } | undefined {
  if (type === 'thinking') return undefined;
  const found = sequences
    .map((sequence) => ({ sequence, at: text.indexOf(sequence) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)[0];
  return found && { text: text.slice(0, found.at), sequence: found.sequence };
}

/** Truncates to a number of bytes without splitting a character, which would decode to a replacement character. */
function cutToBytes(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  const buffer = Buffer.from(text);
  let end = Math.max(0, bytes);
  while (end > 0 && ((buffer[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return buffer.toString('utf8', 0, end);
}
