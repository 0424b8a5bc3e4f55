import {
  checkHandoff,
  freeHandoffName,
  type HandoffCheck,
  handoffFirstMessage,
  renderHandoff,
  type TakeHandoffInput,
} from '../../domain/handoff';
import { estimateTokens } from '../../domain/kernel';
import { artifactsSlice, filesSlice, recordedDecisions, recordsOf } from '../../domain/session';
import { mediaTypes } from '../../domain/store';
import { readSpilled } from '../../store/blobs';
import { Transcripts } from '../../store/transcript/transcripts';
import { runStoreFor, type SharedDependencies } from '../dependencies';
import { resolveSlices } from '../session/snapshots';

/**
 * Checks and stores a handoff, and begins the next conversation with the same prompt, tools and model, and the handoff
 * as its first message. The conversation so far is not even read, so nothing of it can leak into the next one.
 */
export async function takeHandoff(
  { store, transcriptCache }: Pick<SharedDependencies, 'store' | 'transcriptCache'>,
  { text, opened, head: previous, session, number, folder, ...location }: TakeHandoffInput,
): Promise<HandoffCheck> {
  const runStore = runStoreFor(store, location);
  const seen = await resolveSlices(runStore, session);
  const artifacts = recordsOf(seen, artifactsSlice).map(({ name }) => name);
  const written = await readSpilled(runStore, text, `handoff ${number}`);
  const checked = checkHandoff(written, { decisions: recordedDecisions(seen), artifacts });
  if (!checked.ok) return checked;

  const markdown = renderHandoff(checked.handoff);
  const ref = await runStore.put(Buffer.from(markdown, 'utf8'), mediaTypes.markdown);
  const changedFiles = recordsOf(seen, filesSlice).map(({ path }) => path);
  const transcripts = new Transcripts(runStore, transcriptCache);
  const { opening } = await transcripts.load(opened.opening);
  const firstMessage = handoffFirstMessage(markdown, { number, changedFiles });
  const { head } = await transcripts.begin({
    ...opening,
    firstMessage,
    ...(previous === undefined ? {} : { previous }),
  });
  const artifact = { name: freeHandoffName(number, artifacts, folder), ref };
  return { ok: true, head, artifact, artifactTokens: estimateTokens(ref.bytes) };
}
