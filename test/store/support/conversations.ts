import type { RunStore } from '../../../domain/store';
import type {
  LoadedTranscript,
  OpeningEntry,
  ReplyEntry,
  ResolvedEntry,
  TranscriptEntry,
} from '../../../domain/transcript';
import { spillText } from '../../../store/blobs';
import { TranscriptCache } from '../../../store/transcript/cache';
import { Transcripts } from '../../../store/transcript/transcripts';

const ref = { hash: 'a'.repeat(64), bytes: 10, mediaType: 'text/markdown' };

export const opening: OpeningEntry = {
  kind: 'opening',
  prompt: ref,
  tools: ref,
  model: { name: 'some-model', maxTokens: 1000, window: 200_000 },
  firstMessage: 'Begin.',
};

export function reply(text: string): ReplyEntry {
  const usage = { input: 1, cacheRead: 2, cacheWrite: 3, output: 4 };
  return { kind: 'reply', content: [{ type: 'text', text }], stopReason: 'done', usage, model: 'some-model' };
}

/** A tool result as an activity would return it, and as it should be read back. */
export async function toolResult(
  store: RunStore,
  callId: string,
  text: string,
): Promise<[TranscriptEntry, ResolvedEntry]> {
  const content = await spillText(store, text);
  return [
    { kind: 'toolResults', results: [{ callId, isError: false, content }] },
    { kind: 'toolResults', results: [{ callId, isError: false, text }] },
  ];
}

/** Transcripts with an empty cache, like those of another worker. */
export function cold(store: RunStore): Transcripts {
  return new Transcripts(store, new TranscriptCache());
}

export interface Conversation {
  readonly transcript: LoadedTranscript;
  readonly expected: readonly ResolvedEntry[];
}

/** A conversation with one tool result per turn; `textOf` returns the result of a turn. */
export async function converse(
  store: RunStore,
  links: number,
  textOf: (index: number) => string,
  transcripts: Transcripts = cold(store),
): Promise<Conversation> {
  let transcript = await transcripts.begin(opening);
  const expected: ResolvedEntry[] = [opening];
  for (let index = 1; index < links; index += 1) {
    const [entry, resolved] = await toolResult(store, `call ${index}`, textOf(index));
    const answer = reply(`answer ${index}`);
    transcript = await transcripts.append(transcript, [entry, answer]);
    expected.push(resolved, answer);
  }
  return { transcript, expected };
}
