import type { ChangeEntry, OpeningEntry } from './entry';
import type { ResolvedEntry } from './loaded';

/** Returns an agent's effective prompt, tools and model: those of its opening with all later changes applied. */
export function effectiveOpening(
  opening: OpeningEntry,
  entries: readonly (ResolvedEntry | ChangeEntry)[],
): Pick<OpeningEntry, 'prompt' | 'tools' | 'model'> {
  const { prompt, tools, model } = opening;
  return entries.reduce(
    (current, entry) =>
      entry.kind === 'change'
        ? { prompt, tools: entry.tools ?? current.tools, model: entry.model ?? current.model }
        : current,
    { prompt, tools, model },
  );
}
