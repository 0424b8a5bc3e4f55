import { z } from 'zod';
import { modelSettingsSchema } from '../model/settings';
import { usageSchema } from '../model/usage';
import { outputFormatSchema } from '../skill/output-format';
import { blobRefSchema } from '../store/blob-ref';
import { spilledTextSchema } from '../store/spilled';

/** First entry of every conversation: with it, the head of a transcript commits to every byte that the model was told. */
export const openingEntrySchema = z.strictObject({
  kind: z.literal('opening'),
  prompt: blobRefSchema,
  /** The tool definitions as they are sent to the model, as a JSON blob. */
  tools: blobRefSchema,
  model: modelSettingsSchema,
  firstMessage: z.string().min(1),
  /** The strict form of the final message; left out for free text. It decides about how the model is asked. */
  output: outputFormatSchema.optional(),
});

/** What came back from the tools that the reply before asked for, in the order in which it asked. */
export const toolResultsEntrySchema = z.strictObject({
  kind: z.literal('toolResults'),
  results: z.array(z.strictObject({ callId: z.string(), isError: z.boolean(), content: spilledTextSchema })).min(1),
});

/** Words of the engine or of an operator, shown to the model in the user's role. */
export const noteEntrySchema = z.strictObject({
  kind: z.literal('note'),
  from: z.enum(['engine', 'operator']),
  text: z.string().min(1),
});

/** From here on the agent has another model or other tools: an operator said so. Not told to the model in words. */
export const changeEntrySchema = z.strictObject({
  kind: z.literal('change'),
  model: modelSettingsSchema.optional(),
  /** The tool definitions as they are sent from now on. */
  tools: blobRefSchema.optional(),
});

/** What the model answered: its content blocks as the provider sent them. */
export const replyEntrySchema = z.strictObject({
  kind: z.literal('reply'),
  content: z.array(z.looseObject({ type: z.string() })),
  stopReason: z.string(),
  usage: usageSchema,
  /** The model that answered, by its own word. */
  model: z.string(),
});

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
