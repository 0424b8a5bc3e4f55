import { checkHandoff } from '../../domain/handoff/check';
import { continuationMessage } from '../../domain/handoff/continuation';
import { freeHandoffName } from '../../domain/handoff/name';
import { renderHandoff } from '../../domain/handoff/render-handoff';
import { estimatedTokens } from '../../domain/prompt';
import { artifactsSlice, filesSlice, recordedDecisions, recordsOf } from '../../domain/session';
import { mediaTypes } from '../../domain/store/blob-ref';
import { readSpilled } from '../../store/spill';
import { Transcripts } from '../../store/transcript/transcripts';
import { storeAt, type SharedDependencies } from '../dependencies';
import type { TakeHandoffInput, TakenHandoff } from '../interface';
import { seenSession } from '../session/snapshots';

/**
 * Checks and stores a handoff, and begins the next conversation with the same prompt, tools and model, and the handoff
 * as its first message. The conversation so far is not even read, so nothing of it can leak into the next one.
 */
export async function takeHandoff(
  { store, transcriptCache }: Pick<SharedDependencies, 'store' | 'transcriptCache'>,
  { text, opened, session, number, folder, ...location }: TakeHandoffInput,
): Promise<TakenHandoff> {
  const runStore = storeAt(store, location);
  const seen = await seenSession(runStore, session);
  const artifacts = recordsOf(seen, artifactsSlice).map(({ name }) => name);
  const written = await readSpilled(runStore, text, `handoff ${number}`);
  const checked = checkHandoff(written, { decisions: recordedDecisions(seen), artifacts });
  if (!checked.ok) return checked;

  const markdown = renderHandoff(checked.handoff);
  const ref = await runStore.put(Buffer.from(markdown, 'utf8'), mediaTypes.markdown);
  const changedFiles = recordsOf(seen, filesSlice).map(({ path }) => path);
  const transcripts = new Transcripts(runStore, transcriptCache);
  const { opening } = await transcripts.load(opened.opening);
  const firstMessage = continuationMessage(markdown, { number, changedFiles });
  const { head } = await transcripts.begin({ ...opening, firstMessage });
  const artifact = { name: freeHandoffName(number, artifacts, folder), ref };
  return { ok: true, head, artifact, artifactTokens: estimatedTokens(ref.bytes) };
}
