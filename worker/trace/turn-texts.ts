import { z } from 'zod';
import { canonicalJson } from '../../domain/kernel';
import { isToolCall } from '../../domain/model';
import { mediaTypes, type RunStore, spilledTextSchema } from '../../domain/store';
import { parseLink } from '../../domain/transcript';
import { decodeUtf8 } from '../../store/blobs';
import type { TurnText } from '../../temporal-config/names';

/** Where a text is that workflow code does not have. */
export const turnTextSchema: z.ZodType<TurnText> = z.union([
  z.strictObject({ argumentsOf: z.string(), link: z.strictObject({ hash: z.string(), bytes: z.number() }) }),
  z.strictObject({ resultOf: z.string(), turn: z.string() }),
  z.strictObject({ resultsIn: z.string() }),
]);

/** The parts of a turn's record that have texts. */
const recordSchema = z.object({
  ran: z.array(
    z.object({ result: z.object({ outcome: z.object({ callId: z.string(), content: spilledTextSchema }) }) }),
  ),
});

/** Loads what calls that ran inside a turn were called with or returned. Texts that are refs are not loaded. */
export async function loadTurnText(store: RunStore, text: TurnText): Promise<unknown> {
  if ('argumentsOf' in text) return loadArguments(store, text);
  const key = 'turn' in text ? text.turn : text.resultsIn;
  const bytes = await store.find(key);
  if (bytes === undefined) throw new Error('the record of the turn is missing');
  const { ran } = recordSchema.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
  const outcomes = ran.map(({ result }) => result.outcome);
  if ('resultOf' in text) return outcomes.find(({ callId }) => callId === text.resultOf)?.content;
  return outcomes.map(({ callId, content }) => ({ type: 'tool_call_response', id: callId, response: content }));
}

async function loadArguments(
  store: RunStore,
  { argumentsOf, link }: Extract<TurnText, { argumentsOf: string }>,
): Promise<unknown> {
  const bytes = await store.get({ ...link, mediaType: mediaTypes.json }, 'a trace');
  const parsed = parseLink(decodeUtf8(bytes) ?? '');
  const blocks =
    'ok' in parsed ? parsed.ok.entries.flatMap((entry) => (entry.kind === 'reply' ? entry.content : [])) : [];
  const call = blocks.filter(isToolCall).find(({ id }) => id === argumentsOf);
  return call === undefined ? undefined : canonicalJson(call.input);
}
