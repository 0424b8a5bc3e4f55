import { InvalidInputError } from '../../domain/kernel';
import {
  BlobMissingError,
  type BlobRef,
  maxTextPageBytes,
  mediaTypes,
  type ReadContentInput,
  type RunStore,
  type TextPage,
  type TextRequest,
} from '../../domain/store';
import { decodeUtf8, measurePayload } from '../../store/blobs';
import { loadPrompt } from '../../store/prompts';
import { readStoredRoot } from '../../store/run-record';
import type { SharedDependencies } from '../dependencies';

/** Reads a page of the answer of a run, or of a content that it has stored. */
export async function readContent(
  { uncachedStore }: SharedDependencies,
  { runId, request }: ReadContentInput,
): Promise<TextPage> {
  const content = await contentOf(uncachedStore.forRun(runId), request.of);
  const { offset = 0, encoding = 'utf8' } = request;
  if (offset > content.length)
    throw new InvalidInputError('offset', `the content has ${content.length} bytes`, 'Continue with `next` of a page.');
  return encoding === 'base64' ? base64Page(content, offset) : textPage(content, offset);
}

async function contentOf(store: RunStore, of: TextRequest['of']): Promise<Uint8Array> {
  if (of !== 'answer') return blobOrPrompt(store, { mediaType: mediaTypes.text, ...of });
  const answer = (await readStoredRoot(store))?.ending?.answer ?? undefined;
  if (answer === undefined)
    throw new InvalidInputError(
      'of',
      `run "${store.runId}" has no answer in this store`,
      'Wait until the run has completed. If it has, check its id and the store of the workers.',
    );
  return 'text' in answer ? Buffer.from(answer.text) : blobOrPrompt(store, answer.ref);
}

/** Reads a blob. A composed prompt has no blob of its own: it is assembled from what is stored. */
async function blobOrPrompt(store: RunStore, ref: BlobRef): Promise<Uint8Array> {
  try {
    return await store.get(ref, 'a client');
  } catch (error) {
    if (!(error instanceof BlobMissingError)) throw error;
    return loadPrompt(store, ref, 'a client').catch(() => {
      throw error;
    });
  }
}

function base64Page(content: Uint8Array, offset: number): TextPage {
  // Three bytes are four characters.
  const end = Math.min(content.length, offset + Math.floor((maxTextPageBytes - pageOverhead) / 4) * 3);
  return page(content, end, Buffer.from(content.subarray(offset, end)).toString('base64'));
}

/** Bytes of a page besides its text. */
const pageOverhead = 100;

/** The longest page that begins at the offset, ends between two characters and is not too large as JSON. */
function textPage(content: Uint8Array, offset: number): TextPage {
  if (isInsideCharacter(content, offset))
    throw new InvalidInputError('offset', 'it is inside a character', 'Continue with `next` of a page.');
  for (let size = maxTextPageBytes - pageOverhead; ; size = Math.floor(size / 2)) {
    const end = characterStart(content, Math.min(content.length, offset + size));
    const text = decodeUtf8(content.subarray(offset, end));
    if (text === undefined)
      throw new InvalidInputError('encoding', 'the content is not a text in UTF-8', 'Read it as "base64".');
    const read = page(content, end, text);
    // Quotes, line breaks and control characters take up to six times as much in JSON.
    if (measurePayload(read) <= maxTextPageBytes) return read;
  }
}

function page(content: Uint8Array, end: number, text: string): TextPage {
  return { text, next: end < content.length ? end : null, bytes: content.length };
}

/** The last position, at or before this one, where a character begins or the content ends. */
function characterStart(content: Uint8Array, position: number): number {
  // A character has at most four bytes. Anything longer is not UTF-8, which is found when it is decoded.
  for (let start = position; start > position - 4; start -= 1) if (!isInsideCharacter(content, start)) return start;
  return position;
}

function isInsideCharacter(content: Uint8Array, position: number): boolean {
  return ((content[position] ?? 0) & 0xc0) === 0x80;
}
