import { z } from 'zod';
import { droppedPartsSchema, modelSettingsSchema, replyBlockSchema, stopReasonSchema, usageSchema } from '../model';
import { outputFormatSchema } from '../prompt/output';
import { blobRefSchema, spilledTextSchema } from '../store';

/** First entry of every conversation. Because of it, the head of a transcript commits to every byte sent to the model. */
const openingEntrySchema = z.strictObject({
  kind: z.literal('opening'),
  prompt: blobRefSchema,
  /** JSON blob of the tool definitions that are sent to the model. */
  tools: blobRefSchema,
  model: modelSettingsSchema,
  firstMessage: z.string().min(1),
  /** Head of the conversation that was handed off to this one; omitted in an agent's first conversation. */
  previous: blobRefSchema.optional(),
  /** Required output format of the final message; omitted for free text. It determines parameters of the model call. */
  output: outputFormatSchema.optional(),
});

/** Results of the tool calls in the previous reply, in the order of the calls. */
const toolResultsEntrySchema = z.strictObject({
  kind: z.literal('toolResults'),
  results: z.array(z.strictObject({ callId: z.string(), isError: z.boolean(), content: spilledTextSchema })).min(1),
});

/** Text from the engine or from an operator, sent to the model in the user role. */
const noteEntrySchema = z.strictObject({
  kind: z.literal('note'),
  from: z.enum(['engine', 'operator']),
  text: z.string().min(1),
});

/** Records that the agent's model or tools are others from here on. Not sent to the model as text. */
const changeEntrySchema = z.strictObject({
  kind: z.literal('change'),
  model: modelSettingsSchema.optional(),
  /** JSON blob of the tool definitions that are sent from now on. */
  tools: blobRefSchema.optional(),
  /** The model that failed, if the change is a fallback to another one. */
  insteadOf: z.strictObject({ model: z.string(), type: z.string(), message: z.string() }).optional(),
  /** Parts of earlier replies that the new model does not receive, because another provider wrote them. */
  dropped: z.array(droppedPartsSchema).min(1).exactOptional(),
});

/** A reply of the model: its blocks, with everything that its provider needs to receive back unchanged. */
const replyEntrySchema = z.strictObject({
  kind: z.literal('reply'),
  content: z.array(replyBlockSchema),
  stopReason: stopReasonSchema,
  usage: usageSchema,
  /** The model that replied, as reported by the provider. */
  model: z.string(),
});

/** Any entry of a conversation. */
export const transcriptEntrySchema = z.discriminatedUnion('kind', [
  openingEntrySchema,
  toolResultsEntrySchema,
  noteEntrySchema,
  changeEntrySchema,
  replyEntrySchema,
]);
export type OpeningEntry = Readonly<z.infer<typeof openingEntrySchema>>;
export type ToolResultsEntry = Readonly<z.infer<typeof toolResultsEntrySchema>>;
export type NoteEntry = Readonly<z.infer<typeof noteEntrySchema>>;
export type ChangeEntry = Readonly<z.infer<typeof changeEntrySchema>>;
export type ReplyEntry = Readonly<z.infer<typeof replyEntrySchema>>;
export type TranscriptEntry = Readonly<z.infer<typeof transcriptEntrySchema>>;
