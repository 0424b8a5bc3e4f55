import type { Client } from '@temporalio/client';
import type { Figures } from '../../domain/budget';
import { agentLabel, delegationPath, mapWithLimit, parentOf, runWorkflowId } from '../../domain/kernel';
import type { BlobRef, RunStore } from '../../domain/store';
import { decodeUtf8 } from '../../store/blobs';
import { filesQuery } from '../../workflows/messages';
import { readEnding } from '../agent/ending';
import type { RunEvent } from '../event/record';
import type { ReportAgent, ReportArtifact, TimelineSegment } from './report-model';

/** The part of a report agent that comes from events. The rest is read from its history, its status and the store. */
export interface LoggedAgent extends Omit<
  ReportAgent,
  | keyof Figures
  | 'withDelegations'
  | 'injectedTokens'
  | 'activeTokens'
  | 'prompt'
  | 'incidents'
  | 'decisions'
  | 'handoffs'
  | 'skill'
> {
  /** Whether operators dealt with it, or it handed off. */
  readonly isNotable: boolean;
  /** Whether it returned artifacts to its parent. */
  readonly hasArtifacts: boolean;
}

type Draft = { -readonly [Key in keyof LoggedAgent]: LoggedAgent[Key] } & {
  segments: TimelineSegment[];
  busyFrom: number;
};

/** Derives the agents of a run from its events, parents first. Hosts of shared sessions are omitted. */
export async function agentsFromEvents(events: AsyncIterable<RunEvent>): Promise<LoggedAgent[]> {
  const drafts = new Map<string, Draft>();
  const headlines = new Map<string, string>();
  for await (const event of events) {
    if (event.kind === 'delegation.started' || event.kind === 'delegation.adopted')
      headlines.set(event.child, event.headline);
    if (event.kind === 'agent.started') {
      const existing = drafts.get(event.agent);
      drafts.set(event.agent, existing ?? newDraft(event, headlines.get(event.agent) ?? ''));
      if (existing !== undefined) restart(existing, Date.parse(event.at));
    }
    const draft = drafts.get(event.agent);
    if (draft !== undefined) note(draft, event, Date.parse(event.at));
    const child = event.kind === 'delegation.completed' ? drafts.get(event.child) : undefined;
    if (child !== undefined && event.kind === 'delegation.completed') child.hasArtifacts ||= event.artifacts.length > 0;
  }
  return [...drafts.values()].map(({ busyFrom: _, ...agent }) => agent);
}

function newDraft(event: Extract<RunEvent, { kind: 'agent.started' | 'session.started' }>, headline: string): Draft {
  const startedAt = Date.parse(event.at);
  return {
    workflowId: event.agent,
    parent: parentOf(event.agent) ?? null,
    depth: delegationPath(event.agent).length,
    headline,
    model: event.model,
    status: 'running',
    failure: null,
    startedAt,
    endedAt: null,
    segments: [],
    tools: {},
    isNotable: false,
    hasArtifacts: false,
    fallbacks: [],
    busyFrom: startedAt,
  };
}

/** A failed delegation that is retried continues under the same workflow id. */
function restart(draft: Draft, at: number): void {
  Object.assign(draft, { status: 'running', failure: null, endedAt: null, busyFrom: at });
}

const ends: Readonly<Record<string, string>> = {
  'agent.completed': 'completed',
  'agent.failed': 'failed',
  'agent.cancelled': 'cancelled',
  'agent.terminated': 'terminated',
  'agent.timedOut': 'timed out',
};

const notable = ['agent.parked', 'agent.answered', 'agent.unanswered', 'agent.steered', 'agent.handedOver'];

function note(draft: Draft, event: RunEvent, at: number): void {
  draft.isNotable ||= notable.includes(event.kind);
  if (event.kind === 'turn') {
    stretch(draft, 'model', at, `turn ${event.turn}: ${event.stopReason}`, false);
  } else if (event.kind === 'tool') {
    draft.tools = { ...draft.tools, [event.tool]: (draft.tools[event.tool] ?? 0) + 1 };
    stretch(draft, 'tool', at, event.tool, event.isError);
  } else if (event.kind === 'model.replaced') {
    const { turn, from, to, failure } = event;
    draft.fallbacks = [...draft.fallbacks, { turn, from, to, ...failure, at: event.at }];
    draft.model = to;
  } else if (event.kind.startsWith('delegation.')) {
    // The time spent waiting for a delegation shows in that delegation's own row.
    draft.busyFrom = at;
  } else if (ends[event.kind] !== undefined) {
    draft.status = ends[event.kind] ?? 'unknown';
    draft.endedAt = at;
    if (event.kind === 'agent.failed') draft.failure = event.failure;
  }
}

function stretch(draft: Draft, kind: TimelineSegment['kind'], to: number, label: string, isError: boolean): void {
  draft.segments.push({ kind, from: Math.min(draft.busyFrom, to), to, label, isError });
  draft.busyFrom = to;
}

const maxInlineBytes = 64 * 1024;
const maxArtifacts = 200;
const queryTimeoutMs = 5_000;
const concurrentReads = 8;

interface Named {
  readonly name: string;
  readonly ref: BlobRef;
}

/** What the artifacts of a run can be found with. */
interface ArtifactSources {
  readonly agents: readonly LoggedAgent[];
  /** Whether a worker answered a Query about this run. */
  readonly hasWorker: boolean;
  readonly store: RunStore | undefined;
  readonly gaps: string[];
}

/** Lists the artifacts of the root agent. If no worker answers, lists what completed delegations returned. */
export async function gatherArtifacts(
  client: Client,
  runId: string,
  { agents, hasWorker, store, gaps }: ArtifactSources,
): Promise<ReportArtifact[]> {
  const handle = client.workflow.getHandle(runWorkflowId(runId));
  // A worker that did not answer before would only be waited for again.
  const files = hasWorker
    ? await client.withDeadline(Date.now() + queryTimeoutMs, () => handle.query(filesQuery)).catch(() => undefined)
    : undefined;
  return loadArtifacts(files?.artifacts ?? (await returnedArtifacts(client, agents)), store, gaps);
}

/** Loads the texts of artifacts that are small enough for the page. */
export function loadArtifacts(
  named: readonly Named[],
  store: RunStore | undefined,
  gaps: string[],
): Promise<ReportArtifact[]> {
  if (named.length > maxArtifacts) gaps.push(`Only ${maxArtifacts} of ${named.length} artifacts are shown.`);
  return Promise.all(named.slice(0, maxArtifacts).map((artifact) => loaded(artifact, store)));
}

async function returnedArtifacts(client: Client, agents: readonly LoggedAgent[]): Promise<Named[]> {
  const writers = agents.filter(({ parent, hasArtifacts }) => parent !== null && hasArtifacts);
  const found = await mapWithLimit(writers, concurrentReads, async ({ workflowId }) => {
    const artifacts = (await readEnding(client, workflowId))?.artifacts ?? [];
    return artifacts.map(({ name, ref }) => ({ name: `${agentLabel(workflowId)}: ${name}`, ref }));
  });
  return found.flat();
}

async function loaded({ name, ref }: Named, store: RunStore | undefined): Promise<ReportArtifact> {
  const facts = { name, bytes: ref.bytes, mediaType: ref.mediaType };
  if (store === undefined) return { ...facts, text: null, note: 'the store cannot be read here' };
  if (ref.bytes > maxInlineBytes) return { ...facts, text: null, note: 'too large for this page' };
  try {
    const text = decodeUtf8(await store.get(ref, 'report'));
    return { ...facts, text: text ?? null, note: text === undefined ? 'not text' : '' };
  } catch (error) {
    return { ...facts, text: null, note: error instanceof Error ? error.message : String(error) };
  }
}
