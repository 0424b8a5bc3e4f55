import type { EndingRecord, OpenedAgent, RootRecord } from '../../domain/agent';
import { delegationPath, displayId, owningRunId, parentOf, parseAgentId, runWorkflowId } from '../../domain/kernel';
import type { BlobRef, RunStore } from '../../domain/store';
import {
  readLatestAnswers,
  readRunRecord,
  type RecordedAnswer,
  type RecordedDelegation,
  type RunRecord,
} from '../../store/run-record';
import { ambiguousAgent, missingDelegation } from '../client-errors';

/** An agent as the store records it. */
export interface StoredAgent {
  readonly workflowId: string;
  /** The request that it carries out; null for the root. */
  readonly delegation: RecordedDelegation | null;
  readonly opened: Pick<OpenedAgent, 'prompt' | 'opening' | 'toolList' | 'deferred' | 'skill' | 'injectedTokens'>;
  /** When it was prepared, ISO 8601. */
  readonly preparedAt: string;
  /** How it ended; null when that is not recorded: it is running, was stopped from outside, or never started. */
  readonly ended: StoredEnd | null;
  /** Head of its transcript, as far as it is known. */
  readonly head: BlobRef;
  /** The answer after `head`, if that is the last that is known of an agent without a recorded end; otherwise null. */
  readonly lastAnswer: RecordedAnswer | null;
  /** Earlier ends of the same agent, which a retry or a reset took back. */
  readonly otherEnds: readonly { readonly at: string; readonly head: BlobRef }[];
  /** Its delegations, in the order in which they were requested. */
  readonly children: readonly StoredAgent[];
}

/** The recorded end of an agent. */
export interface StoredEnd {
  readonly status: EndingRecord['status'];
  readonly at: string;
  /** Its last status; null for an ordinary delegation, of which it is derived from the transcript. */
  readonly record: EndingRecord | null;
}

/**
 * A run as its folder in the store records it. It can be read when the server no longer has the workflows. Times, and
 * what happened between turns, are only in the histories.
 */
export interface StoredRun {
  readonly store: RunStore;
  readonly record: RootRecord;
  readonly root: StoredAgent;
}

/** Reads a run from the store; undefined when the store has no record of it. */
export async function readStoredRun(store: RunStore): Promise<StoredRun | undefined> {
  const record = await readRunRecord(store);
  if (record === undefined) return undefined;
  const ends = endsOf(record);
  const rootId = runWorkflowId(store.runId);
  const answers = needsAnswers(record, rootId, ends) ? await readLatestAnswers(store) : noAnswers;
  const below = byParent(record.delegations);
  const build = (workflowId: string, delegation: RecordedDelegation | null): StoredAgent => {
    const opened = delegation?.opened ?? record.root.opened;
    const preparedAt = delegation?.request.at ?? record.root.at;
    const children = (below.get(workflowId) ?? []).map((child) => build(`${workflowId}/${child.delegationId}`, child));
    const all = (ends.get(workflowId) ?? []).filter((end) => isOf(opened, preparedAt, end));
    const [own] = all;
    const otherEnds = all.slice(1).map(({ at, head }) => ({ at, head }));
    const known = latestOf(opened, own, answers.get(workflowId));
    return { workflowId, delegation, opened, preparedAt, ...known, otherEnds, children };
  };
  return { store, record: record.root, root: build(rootId, null) };
}

const noAnswers: ReadonlyMap<string, RecordedAnswer> = new Map();

type End = StoredEnd & { readonly head: BlobRef };

/** The recorded ends of every agent, latest first. An end counts more than the final message that came before it. */
function endsOf({ finals, endings }: RunRecord): ReadonlyMap<string, readonly End[]> {
  const ends = new Map<string, End[]>();
  const add = (agent: string, end: End): void => {
    ends.set(agent, [...(ends.get(agent) ?? []), end]);
  };
  for (const { agent, head, at } of finals) add(agent, { status: 'completed', at, record: null, head });
  for (const record of endings) {
    const { agent, status, at, snapshot } = record;
    if (snapshot.transcript !== null) add(agent, { status, at, record, head: snapshot.transcript });
  }
  for (const all of ends.values()) all.sort(latestFirst);
  return ends;
}

function latestFirst(a: End, b: End): number {
  return a.at < b.at ? 1 : a.at > b.at ? -1 : Number(b.record !== null) - Number(a.record !== null);
}

/** Whether an end is that of this agent, and not of an agent in an earlier run with the same id. */
function isOf({ prompt }: StoredAgent['opened'], preparedAt: string, { record, at }: End): boolean {
  return record === null ? at >= preparedAt : record.snapshot.prompt?.hash === prompt.hash;
}

/** Whether an agent may have been retried after its last recorded end. Answers are many, so they are read only then. */
function needsAnswers(
  { root, delegations }: RunRecord,
  rootId: string,
  ends: ReadonlyMap<string, readonly End[]>,
): boolean {
  const rootEnd = ends.get(rootId)?.find((end) => isOf(root.opened, root.at, end));
  if (rootEnd === undefined || ends.size < delegations.length + 1) return true;
  return [...ends.values()].some(([latest]) => latest?.status !== 'completed');
}

/** An answer after the last recorded end shows that the agent was retried. */
function latestOf(
  { opening }: StoredAgent['opened'],
  end: End | undefined,
  answer: RecordedAnswer | undefined,
): Pick<StoredAgent, 'ended' | 'head' | 'lastAnswer'> {
  const isRetried = end === undefined || (end.status !== 'completed' && answer !== undefined && answer.at > end.at);
  if (isRetried) return { ended: null, head: answer?.head ?? opening, lastAnswer: answer ?? null };
  const { head, ...ended } = end;
  return { ended, head, lastAnswer: null };
}

function byParent(delegations: readonly RecordedDelegation[]): ReadonlyMap<string, RecordedDelegation[]> {
  const below = new Map<string, RecordedDelegation[]>();
  for (const delegation of delegations) {
    const siblings = below.get(delegation.request.parent) ?? [];
    siblings.push(delegation);
    below.set(delegation.request.parent, siblings);
  }
  for (const siblings of below.values()) siblings.sort((a, b) => a.request.ordinal - b.request.ordinal);
  return below;
}

/** Returns an agent and everything below it, parents first. */
export function everyStoredAgent(agent: StoredAgent): readonly StoredAgent[] {
  return [agent, ...agent.children.flatMap(everyStoredAgent)];
}

/**
 * Finds an agent by the id of the run, `<run>/<delegation>` with the first letters of a delegation id, or a workflow id.
 * Throws a `BatonError` if no agent or several match.
 */
export function findStoredAgent({ root }: StoredRun, target: string): StoredAgent {
  const workflowId = parseAgentId(target);
  const all = everyStoredAgent(root);
  const exact = all.find((agent) => agent.workflowId === workflowId);
  if (exact !== undefined) return exact;
  const name = delegationPath(workflowId).at(-1) ?? '';
  const found = all.filter((agent) => (delegationPath(agent.workflowId).at(-1) ?? '').startsWith(name));
  const [first] = found;
  const run = owningRunId(parentOf(workflowId) ?? workflowId);
  if (first === undefined) throw missingDelegation(run, name);
  if (found.length === 1) return first;
  throw ambiguousAgent(
    run,
    name,
    found.map((agent) => displayId(agent.workflowId)),
  );
}
