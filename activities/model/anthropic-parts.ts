import { z } from 'zod';
import { checkValue } from '../../domain/kernel';
import type { ReplyPart } from '../dependencies';

const deltaSchema = z.union([
  z.object({ type: z.literal('text_delta'), text: z.string() }),
  z.object({ type: z.literal('thinking_delta'), thinking: z.string() }),
]);
const eventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('content_block_start'),
    content_block: z.object({ type: z.literal('tool_use'), name: z.string() }),
  }),
  z.object({ type: z.literal('content_block_delta'), delta: deltaSchema }),
]);

/** Returns what people see of an event of the stream; undefined if it is nothing. */
export function partIn(event: object): ReplyPart | undefined {
  const { data } = checkValue(eventSchema, event);
  if (data === undefined) return undefined;
  if (data.type === 'content_block_start') return { type: 'toolCall', name: data.content_block.name };
  const { delta } = data;
  return delta.type === 'text_delta' ? { type: 'text', text: delta.text } : { type: 'thinking', text: delta.thinking };
}
