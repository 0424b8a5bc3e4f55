import { z } from 'zod';
import {
  type EndingRecord,
  endingRecordSchema,
  type FinalRecord,
  finalRecordSchema,
  type OpenedAgent,
  recordVersion,
  type RootRecord,
  rootRecordSchema,
} from '../domain/agent';
import {
  type BatchRecord,
  batchRecordSchema,
  delegationRecordSchema,
  type DelegationRequestRecord,
} from '../domain/delegation';
import { canonicalJson } from '../domain/kernel';
import { usageSchema } from '../domain/model';
import { type BlobRef, mediaTypes, type RunStore, shortRefSchema } from '../domain/store';
import { sha256 } from './blobs';

// The record of a run: what its folder knows about its agents, and how commands read it when the server no longer has
// the workflows. Keys contain nothing that a reset changes.

type Unversioned<T> = Omit<T, 'v'>;

/** Records the root of a run. A run that is started again under the same id with other input is recorded beside it. */
export async function putRootRecord(store: RunStore, root: Unversioned<RootRecord>): Promise<void> {
  const { at: _at, ...content } = root;
  await put(store, `root/${digest(content)}`, root);
}

/** Records delegations of a batch that were prepared together. */
export async function putBatchRecord(store: RunStore, batch: Unversioned<BatchRecord>): Promise<void> {
  if (batch.items.length === 0) return;
  await put(store, `batch/${digest([batch.parent, batch.items.map(({ delegationId }) => delegationId)])}`, batch);
}

/** The identity of a model call, as far as it orders the records of an execution. */
interface CallPlace {
  readonly execution: string;
  readonly call: number;
  readonly try: number;
}

/** Records the final message of an agent. */
export async function putFinalRecord(store: RunStore, call: CallPlace, final: Unversioned<FinalRecord>): Promise<void> {
  await put(store, `final/${call.execution}/${call.call}/${call.try}/${final.head.hash}`, final);
}

/** Records the end of an agent's execution. If it was reset after that, each end is recorded. */
export async function putEndingRecord(
  store: RunStore,
  execution: string,
  ending: Unversioned<EndingRecord>,
): Promise<void> {
  await put(store, `ending/${execution}/${digest(ending)}`, ending);
}

async function put(store: RunStore, key: string, record: object): Promise<void> {
  await store.putIfAbsent(key, Buffer.from(canonicalJson({ v: recordVersion.value, ...record })));
}

function digest(value: unknown): string {
  return sha256(canonicalJson(value));
}

/** A delegation, however it was requested. */
export interface RecordedDelegation {
  readonly delegationId: string;
  readonly request: DelegationRequestRecord;
  readonly opened: Pick<OpenedAgent, 'prompt' | 'opening' | 'toolList' | 'skill' | 'injectedTokens'>;
  readonly headline: string;
  /** One line with the name of the prompt, as the Web UI shows it. */
  readonly summary: string;
  /** Maximum turns, if they differ from those of the root. */
  readonly maxTurns: number | undefined;
}

/** Everything that the journal records about the agents of a run. */
export interface RunRecord {
  /** The root of the run, or of the latest run with this id. */
  readonly root: RootRecord;
  readonly delegations: readonly RecordedDelegation[];
  readonly finals: readonly FinalRecord[];
  readonly endings: readonly EndingRecord[];
}

/** Reads the record of a run; undefined when the store has none. Records of another version are ignored. */
export async function readRunRecord(store: RunStore): Promise<RunRecord | undefined> {
  const [requested, finals, endings] = await Promise.all([
    readRequests(store),
    readAll(store, 'final', finalRecordSchema),
    readAll(store, 'ending', endingRecordSchema),
  ]);
  return requested && { ...requested, finals, endings };
}

/** Reads the root of a run and its last end, for lists. Undefined when the store has no record of the run. */
export async function readStoredRoot(
  store: RunStore,
): Promise<{ readonly root: RootRecord; readonly ending: EndingRecord | undefined } | undefined> {
  const root = (await readRoots(store)).at(-1);
  if (root === undefined) return undefined;
  const endings = await readAll(store, 'ending', endingRecordSchema);
  const own = endings.filter(({ snapshot, files }) => {
    return files !== null && snapshot.prompt?.hash === root.opened.prompt.hash;
  });
  return { root, ending: own.sort(byTime).at(-1) };
}

/** Reads the roots of all runs that had this id, oldest first. There is one, unless a run was started again. */
export async function readRoots(store: RunStore): Promise<readonly RootRecord[]> {
  return (await readAll(store, 'root', rootRecordSchema)).sort(byTime);
}

/** Reads what was requested: the root and all delegations. Undefined when the store has no record of the run. */
async function readRequests(store: RunStore): Promise<Pick<RunRecord, 'root' | 'delegations'> | undefined> {
  const [roots, delegations, batches] = await Promise.all([
    readRoots(store),
    readAll(store, 'delegation', delegationRecordSchema),
    readAll(store, 'batch', batchRecordSchema),
  ]);
  const root = roots.at(-1);
  if (root === undefined) return undefined;
  // If several runs had this id, the delegations of the latest are those of its prompt.
  const otherRoots = new Set(roots.map(({ opened }) => opened.prompt.hash));
  otherRoots.delete(root.opened.prompt.hash);
  const found = [...delegations.flatMap(single), ...batches.flatMap(ofBatch)];
  return { root, delegations: found.filter(({ request }) => !otherRoots.has(request.parentPrompt ?? '')) };
}

function single({
  request,
  headline,
  promptNs,
  promptKey,
  ...rest
}: z.infer<typeof delegationRecordSchema>): RecordedDelegation[] {
  if (request === undefined) return [];
  const { delegationId, opened } = rest;
  const placed = request.place === undefined ? headline : `${request.place}: ${headline}`;
  return [
    {
      delegationId,
      request,
      opened,
      headline: placed,
      summary: `${promptNs}/${promptKey}: ${placed}`,
      maxTurns: rest.settings?.limits?.maxTurns,
    },
  ];
}

function ofBatch({ items, lastLevelTools, ...request }: BatchRecord): RecordedDelegation[] {
  return items.map(({ delegationId, ordinal, payload, prompt, opening, mayDelegate, headline }) => ({
    delegationId,
    request: { ...request, ordinal, payload },
    opened: { prompt, opening, toolList: mayDelegate ? request.tools : lastLevelTools },
    headline,
    summary: headline,
    maxTurns: undefined,
  }));
}

const answerSchema = z.object({
  /** Workflow id of the agent. */
  agent: z.string(),
  /** Head of the transcript before the call. */
  head: shortRefSchema.transform((head): BlobRef => ({ ...head, mediaType: mediaTypes.json })),
  at: z.string(),
  /** Time that the model took, in milliseconds. */
  ms: z.int().nonnegative().exactOptional(),
  answer: z.object({ usage: usageSchema }),
});
/** An answer of the model, as far as it tells how far its agent came, and when. */
export type RecordedAnswer = Readonly<z.infer<typeof answerSchema>> & {
  /** Key of the record in the journal. */
  readonly key: string;
  readonly identity: CallPlace;
};

/** Reads the latest answer of each agent. It takes a look at every answer of the run. */
export async function readLatestAnswers(store: RunStore): Promise<ReadonlyMap<string, RecordedAnswer>> {
  const latest = new Map<string, RecordedAnswer>();
  for await (const answer of everyAnswer(store)) {
    if (answer.at > (latest.get(answer.agent)?.at ?? '')) latest.set(answer.agent, answer);
  }
  return latest;
}

/** Reads all answers of a run, by workflow id of the agent, oldest first. */
export async function readAnswers(store: RunStore): Promise<ReadonlyMap<string, readonly RecordedAnswer[]>> {
  const found = new Map<string, RecordedAnswer[]>();
  for await (const answer of everyAnswer(store)) {
    const same = found.get(answer.agent);
    if (same === undefined) found.set(answer.agent, [answer]);
    else same.push(answer);
  }
  for (const answers of found.values()) answers.sort(byTime);
  return found;
}

async function* everyAnswer(store: RunStore): AsyncGenerator<RecordedAnswer> {
  for await (const { key, bytes } of store.entries('answer')) {
    const { data } = answerSchema.safeParse(parseJson(bytes));
    const [, execution = '', call = '', attempt = ''] = key.split('/');
    if (data !== undefined) yield { ...data, key, identity: { execution, call: Number(call), try: Number(attempt) } };
  }
}

async function readAll<Schema extends z.ZodType>(
  store: RunStore,
  kind: string,
  schema: Schema,
): Promise<z.infer<Schema>[]> {
  const found: z.infer<Schema>[] = [];
  for await (const { bytes } of store.entries(kind)) {
    const parsed = schema.safeParse(parseJson(bytes));
    if (parsed.success) found.push(parsed.data);
  }
  return found;
}

function byTime(a: { readonly at: string }, b: { readonly at: string }): number {
  return a.at < b.at ? -1 : Number(a.at > b.at);
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}
