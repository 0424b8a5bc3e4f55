import type { ChangeEntry, OpeningEntry } from './entry';
import type { ResolvedEntry } from './loaded';

/** What an agent works with after everything that was changed since its opening. */
export function inForce(
  opening: OpeningEntry,
  entries: readonly (ResolvedEntry | ChangeEntry)[],
): Pick<OpeningEntry, 'prompt' | 'tools' | 'model'> {
  const { prompt, tools, model } = opening;
  return entries.reduce(
    (now, entry) =>
      entry.kind === 'change' ? { prompt, tools: entry.tools ?? now.tools, model: entry.model ?? now.model } : now,
    { prompt, tools, model },
  );
}
