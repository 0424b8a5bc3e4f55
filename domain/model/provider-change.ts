import { z } from 'zod';
import type { ReplyBlock } from './blocks';
import { parseModelName } from './model-name';

/** The parts of a conversation's entries that tell which provider wrote a reply. */
type Entry =
  | { readonly kind: 'opening'; readonly model: { readonly name: string } }
  | { readonly kind: 'change'; readonly model?: { readonly name: string } | undefined }
  | { readonly kind: 'reply'; readonly content: readonly ReplyBlock[] }
  | { readonly kind: 'toolResults' | 'note' };

/** Number of parts of earlier replies that the model of another provider does not receive. */
export const droppedPartsSchema = z.strictObject({
  /** Provider whose replies contain them. */
  provider: z.string(),
  /** Thinking blocks. A provider accepts only its own. */
  thinking: z.int().nonnegative(),
  /** Blocks that have no neutral meaning. */
  opaque: z.int().nonnegative(),
  /** Texts and tool calls that are sent without their provider data, such as citations. */
  data: z.int().nonnegative(),
});
export type DroppedParts = Readonly<z.infer<typeof droppedPartsSchema>>;

/**
 * Returns the entries as a provider may receive them. From the replies of other providers, it receives texts and tool
 * calls without their provider data, and nothing else. Every tool call stays, because its result stays too.
 */
export function withoutForeignParts<E extends Entry>(entries: readonly E[], provider: string): readonly E[] {
  const providers = providersOf(entries);
  if (providers.every((each) => each === provider)) return entries;
  return entries.map((entry, index) =>
    entry.kind === 'reply' && providers[index] !== provider
      ? { ...entry, content: entry.content.flatMap(neutralPart) }
      : entry,
  );
}

function neutralPart(block: ReplyBlock): readonly ReplyBlock[] {
  if (block.type === 'thinking' || block.type === 'opaque') return [];
  const { provider: _, ...neutral } = block;
  return [neutral];
}

/** Counts what `withoutForeignParts` leaves out, for each other provider in the order of their first reply. */
function foreignParts(entries: readonly Entry[], provider: string): readonly DroppedParts[] {
  const providers = providersOf(entries);
  const counts = new Map<string, Record<'thinking' | 'opaque' | 'data', number>>();
  for (const [index, entry] of entries.entries()) {
    const by = providers[index] ?? provider;
    if (entry.kind !== 'reply' || by === provider) continue;
    const count = counts.get(by) ?? { thinking: 0, opaque: 0, data: 0 };
    counts.set(by, count);
    for (const block of entry.content) {
      if (block.type === 'thinking' || block.type === 'opaque') count[block.type] += 1;
      else if (block.provider !== undefined) count.data += 1;
    }
  }
  return [...counts]
    .map(([name, count]) => ({ provider: name, ...count }))
    .filter(({ thinking, opaque, data }) => thinking + opaque + data > 0);
}

/**
 * Counts what the replies so far lose when the model changes: nothing, if the new model has the same provider as the one
 * in force.
 */
export function droppedByChange(
  entries: readonly Entry[],
  next: { readonly name: string } | undefined,
): readonly DroppedParts[] {
  if (next === undefined) return [];
  const { provider } = parseModelName(next.name);
  return providersOf(entries).at(-1) === provider ? [] : foreignParts(entries, provider);
}

/** Returns the provider in force at each entry. A change counts from its own entry on. */
function providersOf(entries: readonly Entry[]): readonly string[] {
  let current = '';
  return entries.map((entry) => {
    if ((entry.kind === 'opening' || entry.kind === 'change') && entry.model !== undefined)
      current = parseModelName(entry.model.name).provider;
    return current;
  });
}
