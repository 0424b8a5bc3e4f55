import { z } from 'zod';
import { uncheckedJson } from '../kernel';

const providerDataSchema = z.strictObject({ name: z.string().min(1), data: uncheckedJson });
/**
 * Data that only one provider understands, such as the signature of its thinking. It is sent back to that provider
 * unchanged, and dropped when another provider continues the conversation.
 */
export type ProviderData = Readonly<z.infer<typeof providerDataSchema>>;

const provider = providerDataSchema.exactOptional();

export const replyBlockSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string(), provider }),
  z.strictObject({ type: z.literal('thinking'), text: z.string(), provider }),
  z.strictObject({ type: z.literal('toolCall'), id: z.string(), name: z.string(), input: uncheckedJson, provider }),
  /** A block that has no neutral meaning. `provider.data` is the block as the provider sent it. */
  z.strictObject({ type: z.literal('opaque'), provider: providerDataSchema }),
]);
/** A part of a model's reply, in the terms of no provider. */
export type ReplyBlock = Readonly<z.infer<typeof replyBlockSchema>>;

/** A tool call of a reply. `id` is unique in its conversation, and its result refers to it. */
export type ToolCallBlock = Extract<ReplyBlock, { readonly type: 'toolCall' }>;

/** Whether a block is a tool call. */
export function isToolCall(block: ContentBlock): block is ToolCallBlock {
  return block.type === 'toolCall';
}

/** A part of a message to a model. */
export type ContentBlock = ReplyBlock | ToolResultBlock;

/** The result of a tool call, sent in the user role. */
export interface ToolResultBlock {
  readonly type: 'toolResult';
  readonly callId: string;
  readonly isError: boolean;
  readonly text: string;
}

export const stopReasonSchema = z.enum([
  'done',
  'toolCalls',
  'outputLimit',
  'contextExceeded',
  'refused',
  'paused',
  'stopSequence',
  'other',
]);
/**
 * Why a reply ended: the model was done, wants tools, reached the output limit or the end of its context window, refused,
 * paused and wants to be asked again, reached a stop sequence, or something that no adapter knows.
 */
export type StopReason = z.infer<typeof stopReasonSchema>;
