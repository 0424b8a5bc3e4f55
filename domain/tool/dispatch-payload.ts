import { z } from 'zod';
import { spilledTextSchema } from '../store';

/**
 * The structured part of a delegation's result, in the model's spelling. The field `message_summary`, which repeats the
 * content of the outcome, is added when it is sent to the model, because a long content is in the store.
 */
export const dispatchPayloadSchema = z.object({
  prompt_ns: z.string(),
  prompt_key: z.string(),
  artifacts: z.array(z.string()).readonly(),
  tools_used: z.array(z.string()).readonly(),
  /** Canonical JSON of the parsed answer, if the answer had to have a structure. */
  value: spilledTextSchema.exactOptional(),
});
export type DispatchPayload = Readonly<z.infer<typeof dispatchPayloadSchema>>;

/**
 * Renders the payload as one line of JSON. Whatever a subagent writes is inside a JSON string, so it can't be mistaken for
 * a field. `value` is the text behind `payload.value`.
 */
export function renderDispatchPayload(
  { prompt_ns, prompt_key, artifacts, tools_used }: DispatchPayload,
  message: string,
  value: string | undefined,
): string {
  const output = value === undefined ? {} : { output: JSON.parse(value) as unknown };
  return JSON.stringify({ prompt_ns, prompt_key, message_summary: message, artifacts, tools_used, ...output });
}
