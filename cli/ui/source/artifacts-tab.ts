import { pathOf } from '../../../client/view/reduce-event';
import type { RunArtifact } from '../../../client/workspace/run-files';
import { mapWithLimit } from '../../../domain/kernel';
import type { RunStore } from '../../../domain/store';
import type { ArtifactsView } from '../../../page/protocol';
import { decodeUtf8 } from '../../../store/blobs';
import type { Writings } from './writings';

type ArtifactView = ArtifactsView['artifacts'][number];

const maxTextBytes = 64 * 1024;
const concurrentReads = 8;

/** Lists what agents wrote, and what they were asked to write but did not. */
export async function readArtifactsView(
  store: RunStore | undefined,
  artifacts: readonly RunArtifact[],
  writings: Writings,
): Promise<ArtifactsView> {
  const writers = new Map(writings.artifacts.map((writing) => [writing.name, writing]));
  const missing = missingIn(writings, new Set(artifacts.map(({ name }) => name)));
  const found = await mapWithLimit(artifacts, concurrentReads, async ({ name, ref, by }): Promise<ArtifactView> => {
    const writer = writers.get(name);
    return {
      name,
      path: writer?.path ?? (by === undefined ? null : pathOf(by)),
      turn: writer?.turn ?? null,
      bytes: ref.bytes,
      hash: ref.hash,
      mediaType: ref.mediaType,
      isExpected: false,
      text: store === undefined || ref.bytes > maxTextBytes ? null : await textOf(store, ref, name),
    };
  });
  return { artifacts: [...found, ...missing] };
}

async function textOf(store: RunStore, ref: RunArtifact['ref'], name: string): Promise<string | null> {
  const bytes = await store.get(ref, `artifact "${name}"`).catch(() => undefined);
  return bytes === undefined ? null : (decodeUtf8(bytes) ?? null);
}

function missingIn({ missing }: Writings, known: ReadonlySet<string>): ArtifactView[] {
  return missing
    .filter(({ name }) => !known.has(name))
    .map(({ name, path }) => ({ ...nothing, name, path, isExpected: true }));
}

const nothing = { turn: null, bytes: null, hash: null, mediaType: null, text: null } as const;
