import { z } from 'zod';
import type { OpenedAgent } from '../domain/agent';
import { canonicalJson } from '../domain/kernel';
import {
  assembleParts,
  type PromptPart,
  promptPartSchema,
  type PromptRecord,
  promptRecordSchema,
  type RenderedPrompt,
  withTranscript,
} from '../domain/prompt';
import {
  BlobCorruptError,
  BlobMissingError,
  type BlobRef,
  blobRefSchema,
  mediaTypes,
  type RunStore,
} from '../domain/store';
import { heldTools, type ToolDescription, toolDescriptionSchema } from '../domain/tool';
import { decodeUtf8, getJson, sha256 } from './blobs';

/** Stores the text of a rendered prompt and returns its record. A composed prompt is stored only as its record. */
export async function putRenderedPrompt(
  store: RunStore,
  rendered: RenderedPrompt,
  from: Omit<Extract<PromptRecord['origin'], { kind: 'rendered' }>, 'kind'>,
): Promise<PromptRecord> {
  return {
    version: 1,
    prompt: await store.put(Buffer.from(rendered.markdown), mediaTypes.markdown),
    ns: rendered.ns,
    key: rendered.key,
    sections: rendered.sections.map(({ path, ...range }) => ({ path: [...path], ...range })),
    parameters: { ...rendered.parameters },
    output: rendered.output,
    transcript: rendered.composition.transcript,
    origin: { kind: 'rendered', ...from },
  };
}

/** Returns the ref of a composed prompt, which identifies its assembled bytes although they are not stored. */
export function refOfComposed({ hash, bytes }: { readonly hash: string; readonly bytes: Uint8Array }): BlobRef {
  return { hash, bytes: bytes.length, mediaType: mediaTypes.markdown };
}

/** A prompt's record and its bytes. */
export interface LoadedPromptRecord {
  readonly record: PromptRecord;
  readonly prompt: Uint8Array;
}

/**
 * Appends a transcript to an agent's prompt, and stores the result as a prompt that delegations are composed from. Only the
 * appended section is stored.
 */
export async function putPromptWithTranscript(
  store: RunStore,
  { record, prompt: bytes }: LoadedPromptRecord,
  { head, text }: { readonly head: BlobRef; readonly text: string },
): Promise<LoadedPromptRecord> {
  const { markdown, sections } = withTranscript({ markdown: decodeUtf8(bytes) ?? '', sections: record.sections }, text);
  const whole = Buffer.from(markdown);
  const extended: PromptRecord = {
    ...record,
    prompt: refOfComposed({ hash: sha256(whole), bytes: whole }),
    sections: sections.map(({ path, ...range }) => ({ path: [...path], ...range })),
    origin: {
      kind: 'withTranscript',
      prompt: record.prompt,
      section: await store.put(whole.subarray(bytes.length), mediaTypes.markdown),
      head,
    },
  };
  await putPromptRecord(store, extended);
  return { record: extended, prompt: whole };
}

/**
 * Stores a prompt's record under the hash of the prompt, so the origin of any prompt can be found. The record of a
 * composed prompt also contains its new text, and the ranges of the parent's prompt that complete it.
 */
export async function putPromptRecord(store: RunStore, record: PromptRecord): Promise<void> {
  await store.putIfAbsent(recordKey(record.prompt), Buffer.from(canonicalJson(record)));
}

/** Loads the record of a prompt. */
export function getPromptRecord(store: RunStore, prompt: BlobRef, neededBy: string): Promise<PromptRecord> {
  return readRecord(store, prompt, neededBy, promptRecordSchema);
}

/**
 * The parts of a record that assembling the prompt needs. Validating the whole record would cost more than the rest of
 * the assembly.
 */
const assemblySchema = z.object({
  origin: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('rendered') }),
    z.object({ kind: z.literal('withTranscript'), prompt: blobRefSchema, section: blobRefSchema }),
    z.object({
      kind: z.literal('composed'),
      parent: blobRefSchema,
      composition: z.object({ parts: z.array(promptPartSchema) }),
    }),
  ]),
});

const layoutSchema = assemblySchema.extend({ sections: promptRecordSchema.shape.sections });

/** Loads the part of a prompt's record that tells how it is assembled, and where its sections are. */
export function getPromptLayout(
  store: RunStore,
  prompt: BlobRef,
  neededBy: string,
): Promise<z.infer<typeof layoutSchema>> {
  return readRecord(store, prompt, neededBy, layoutSchema);
}

/** Loads a prompt's exact bytes, either stored or assembled from its parent's. Both are verified. */
export async function loadPrompt(store: RunStore, ref: BlobRef, neededBy: string): Promise<Uint8Array> {
  const record = await readRecord(store, ref, neededBy, assemblySchema);
  return assemblePrompt(store, { ...record, prompt: ref }, neededBy, (parent) =>
    loadPrompt(store, parent, `${neededBy}, part of ${ref.hash}`),
  );
}

/** Like `loadPrompt`, for a caller that has the record, and loads parents once for all their children. */
export async function assemblePrompt(
  store: RunStore,
  { prompt: ref, origin }: z.infer<typeof assemblySchema> & { readonly prompt: BlobRef },
  neededBy: string,
  loadParent: (ref: BlobRef) => Promise<Uint8Array>,
): Promise<Uint8Array> {
  if (origin.kind === 'rendered') return store.get(ref, neededBy);
  const bytes = await assemble(store, origin, `${neededBy}, part of ${ref.hash}`, loadParent);
  if (bytes.length !== ref.bytes || sha256(bytes) !== ref.hash) {
    throw new BlobCorruptError(store.runId, ref.hash, neededBy, 'its assembled parts do not match its hash');
  }
  return bytes;
}

type AssembledOrigin = Exclude<z.infer<typeof assemblySchema>['origin'], { kind: 'rendered' }>;

async function assemble(
  store: RunStore,
  origin: AssembledOrigin,
  neededBy: string,
  load: (ref: BlobRef) => Promise<Uint8Array>,
): Promise<Uint8Array> {
  if (origin.kind === 'withTranscript') {
    const { prompt, section } = origin;
    return Buffer.concat(await Promise.all([load(prompt), store.get(section, neededBy)]));
  }
  const { parts } = origin.composition;
  return assembleParts(parts, quotesParent(parts) ? await load(origin.parent) : new Uint8Array());
}

/** Whether the prompt contains ranges of its parent's prompt. It does not when that was withheld. */
function quotesParent(parts: readonly PromptPart[]): boolean {
  return parts.some((part) => 'parentRange' in part);
}

async function readRecord<Schema extends z.ZodType>(
  store: RunStore,
  prompt: BlobRef,
  neededBy: string,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const bytes = await store.find(recordKey(prompt));
  if (bytes === undefined) throw new BlobMissingError(store.runId, prompt.hash, `${neededBy} (its record)`);
  const parsed = schema.safeParse(JSON.parse(Buffer.from(bytes).toString('utf8')));
  if (parsed.success) return parsed.data;
  throw new BlobCorruptError(store.runId, prompt.hash, neededBy, 'its record is not readable');
}

/**
 * Copies the record of a prompt to another run, with those of the prompts that it was composed from. Returns the records,
 * which refer to stored texts.
 */
export async function copyPromptRecords(from: RunStore, to: RunStore, prompt: BlobRef): Promise<PromptRecord[]> {
  const record = await getPromptRecord(from, prompt, 'a run that continues');
  await putPromptRecord(to, record);
  const { origin } = record;
  if (origin.kind === 'rendered') return [record];
  const below = origin.kind === 'composed' ? origin.parent : origin.prompt;
  return [record, ...(await copyPromptRecords(from, to, below))];
}

function recordKey({ hash }: BlobRef): string {
  return `prompt/${hash}`;
}

const key = 'root-tools';

/** Ref of the root agent's tool list, with that of its deferred tools if it has any. */
const rootToolsSchema = blobRefSchema.extend({ deferred: blobRefSchema.exactOptional() });

/** Stores the root agent's tools: no agent of the run may have more tools than the root agent. */
export async function putRootTools(
  store: RunStore,
  { toolList, deferred }: Pick<OpenedAgent, 'toolList' | 'deferred'>,
): Promise<void> {
  await putStoredRootTools(store, { ...toolList, ...(deferred === undefined ? {} : { deferred: deferred.list }) });
}

/** Stores the refs of the root agent's tools, which `findRootTools` returns. */
export async function putStoredRootTools(store: RunStore, refs: z.infer<typeof rootToolsSchema>): Promise<void> {
  await store.putIfAbsent(key, Buffer.from(canonicalJson(refs)));
}

/** Returns the refs of the root agent's tools; undefined when none are stored. */
export async function findRootTools(store: RunStore): Promise<z.infer<typeof rootToolsSchema> | undefined> {
  const found = await store.find(key);
  return found === undefined ? undefined : rootToolsSchema.parse(JSON.parse(Buffer.from(found).toString('utf8')));
}

/** Loads the root agent's tools, deferred ones included; empty when none are stored. */
export async function getRootTools(store: RunStore): Promise<readonly ToolDescription[]> {
  const refs = await findRootTools(store);
  if (refs === undefined) return [];
  const read = (ref: BlobRef): Promise<ToolDescription[]> =>
    getJson(store, ref, toolDescriptionSchema.array(), 'tools of the root');
  const { deferred, ...shown } = refs;
  return heldTools({ shown: await read(shown), deferred: deferred === undefined ? [] : await read(deferred) });
}
