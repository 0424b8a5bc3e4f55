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
import { blobRefSchema, type RunStore } from '../domain/store';
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
}

/** Everything that the journal records about the agents of a run. */
export interface RunRecord {
  /** The root of the run, or of the latest run with this id. */
  readonly root: RootRecord;
  readonly delegations: readonly RecordedDelegation[];
  /** Final messages and ends, oldest first. */
  readonly finals: readonly (FinalRecord & { readonly execution: string })[];
  readonly endings: readonly (EndingRecord & { readonly execution: string })[];
}

/** Reads the record of a run; undefined when the store has none. Records of another version are ignored. */
export async function readRunRecord(store: RunStore): Promise<RunRecord | undefined> {
  const [roots, delegations, batches, finals, endings] = await Promise.all([
    readAll(store, 'root', rootRecordSchema),
    readAll(store, 'delegation', delegationRecordSchema),
    readAll(store, 'batch', batchRecordSchema),
    readAll(store, 'final', finalRecordSchema),
    readAll(store, 'ending', endingRecordSchema),
  ]);
  const root = roots
    .map(({ value }) => value)
    .sort(byTime)
    .at(-1);
  if (root === undefined) return undefined;
  // Of several runs under one id, only the delegations of the latest are those of its prompt.
  const otherRoots = new Set(roots.map(({ value }) => value.opened.prompt.hash));
  otherRoots.delete(root.opened.prompt.hash);
  const isOfAnother = ({ request }: RecordedDelegation): boolean => otherRoots.has(request.parentPrompt ?? '');
  const found = [
    ...delegations.flatMap(({ value }) => single(value)),
    ...batches.flatMap(({ value }) => ofBatch(value)),
  ];
  return {
    root,
    delegations: found.filter((delegation) => !isOfAnother(delegation)),
    finals: finals.map(withExecution).sort(byTime),
    endings: endings.map(withExecution).sort(byTime),
  };
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
  return [{ delegationId, request, opened, headline: placed, summary: `${promptNs}/${promptKey}: ${placed}` }];
}

function ofBatch({ items, lastLevelTools, ...request }: BatchRecord): RecordedDelegation[] {
  return items.map(({ delegationId, ordinal, payload, prompt, opening, mayDelegate, headline }) => ({
    delegationId,
    request: { ...request, ordinal, payload },
    opened: { prompt, opening, toolList: mayDelegate ? request.tools : lastLevelTools },
    headline,
    summary: headline,
  }));
}

/** An answer of the model that was paid for, and whose agent had not ended by then as far as the store knows. */
export interface RecordedAnswer {
  readonly agent: string;
  readonly execution: string;
  /** Head of the transcript before the call. */
  readonly head: z.infer<typeof blobRefSchema>;
  readonly at: string;
}

const answerSchema = z.object({
  agent: z.string(),
  head: blobRefSchema,
  at: z.string(),
  answer: z.object({ usage: usageSchema }),
});

/** Reads the latest answer of each agent. It takes a look at every answer of the run. */
export async function readLatestAnswers(store: RunStore): Promise<ReadonlyMap<string, RecordedAnswer>> {
  const latest = new Map<string, RecordedAnswer>();
  for await (const { key, bytes } of store.entries('answer')) {
    const { data } = answerSchema.safeParse(parseJson(bytes));
    if (data === undefined || data.at <= (latest.get(data.agent)?.at ?? '')) continue;
    const { agent, head, at } = data;
    latest.set(agent, { agent, head, at, execution: executionIn(key) });
  }
  return latest;
}

interface Found<T> {
  readonly key: string;
  readonly value: T;
}

async function readAll<Schema extends z.ZodType>(
  store: RunStore,
  kind: string,
  schema: Schema,
): Promise<Found<z.infer<Schema>>[]> {
  const found: Found<z.infer<Schema>>[] = [];
  for await (const { key, bytes } of store.entries(kind)) {
    const parsed = schema.safeParse(parseJson(bytes));
    if (parsed.success) found.push({ key, value: parsed.data });
  }
  return found;
}

function withExecution<T extends object>({ key, value }: Found<T>): T & { readonly execution: string } {
  return { ...value, execution: executionIn(key) };
}

function executionIn(key: string): string {
  return key.split('/', 2)[1] ?? '';
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
