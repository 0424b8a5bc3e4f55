import type { Redact } from '../../domain/kernel';
import { spilledTextSchema, type Store } from '../../domain/store';
import { readSpilled } from '../../store/blobs';
import { loadTurnText, turnTextSchema } from './turn-texts';
import type { FinishedSpan, SpanAttributes } from '../../temporal-config/names';

/** Maximum characters of one text, and of all texts of a span. */
const maxTextLength = 4_096;
const maxSpanLength = 64 * 1024;

/** What is needed to record what users, models and tools wrote. */
export interface ContentSource {
  readonly store: Store;
  readonly redact: Redact;
}

/**
 * Converts the contents of a span to attributes: loads texts that are in the store, removes secrets, and cuts what is too
 * long. A text that can't be loaded is described instead, because a trace must not fail.
 */
export async function contentAttributes(
  { store, redact }: ContentSource,
  runId: string,
  { contents }: Pick<FinishedSpan, 'contents'>,
): Promise<SpanAttributes> {
  let room = maxSpanLength;
  const shorten = (text: string): string => {
    const kept = text.slice(0, Math.max(0, Math.min(maxTextLength, room)));
    room -= kept.length;
    return kept.length === text.length ? text : `${kept}… [${text.length} characters]`;
  };
  const load = async (value: unknown): Promise<unknown> => {
    const inside = turnTextSchema.safeParse(value).data;
    if (inside !== undefined) return load(await loadTurnText(store.forRun(runId), inside).catch(unreadable));
    const { data: text } = spilledTextSchema.safeParse(value);
    if (text !== undefined) {
      const whole = await readSpilled(store.forRun(runId), text, 'a trace').catch(unreadable);
      return shorten(redact(whole));
    }
    if (typeof value === 'string') return shorten(redact(value));
    if (Array.isArray(value)) return mapInOrder(value, load);
    if (typeof value !== 'object' || value === null) return value;
    const fields = await mapInOrder(Object.entries(value), async ([name, field]) => [name, await load(field)] as const);
    return Object.fromEntries(fields);
  };
  const attributes = await mapInOrder(Object.entries(contents), async ([name, value]) => {
    const loaded = await load(value);
    return [name, typeof loaded === 'string' ? loaded : JSON.stringify(loaded)] as const;
  });
  return Object.fromEntries(attributes.filter(([, value]) => typeof value === 'string'));
}

function unreadable(error: unknown): string {
  return `[not available: ${error instanceof Error ? error.message : String(error)}]`;
}

/** Works on one value after the other, so that the first texts are kept if not all of them fit. */
async function mapInOrder<In, Out>(values: readonly In[], work: (value: In) => Promise<Out>): Promise<Out[]> {
  const results: Out[] = [];
  for (const value of values) results.push(await work(value));
  return results;
}
