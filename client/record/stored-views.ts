import { type EndingRecord, rootTitle, type RunResult } from '../../domain/agent';
import { agentLabel, delegationPath, failureTypes, isFailureType, parentOf } from '../../domain/kernel';
import type { SpilledText } from '../../domain/store';
import type { AgentExecution } from '../agent/find-agent';
import type { RunOutcome } from '../agent/outcome';
import { BatonError } from '../client-errors';
import { headline } from '../format';
import { type AgentTree, everyNode, toAgentTree } from '../delegation/agent-tree';
import type { AgentDetails, TreeNode } from '../delegation/tree-node';
import { ReportPrompts } from '../report/agent-facts';
import { loadArtifacts } from '../report/from-events';
import type { ReportAgent, ReportModel } from '../report/report-model';
import type { RunArtifact, RunWorkspace } from '../workspace/run-files';
import { StoredFactsReader } from './stored-facts';
import { everyStoredAgent, type StoredAgent, type StoredRun } from './stored-run';

// What commands show of a run, built from the store instead of the server, in the same forms.

/** What the files of a run are read from: the run as it is stored, or no more than its root. */
export interface StoredRootEnd {
  readonly store: Pick<StoredRun['store'], 'runId'>;
  readonly record: Pick<StoredRun['record'], 'workspace'>;
  readonly root: { readonly ended: { readonly record: EndingRecord | null } | null };
}

/** Returns the workspace of a run. Throws a `BatonError` if it has none, or if its end is not recorded. */
export function storedWorkspace(run: StoredRootEnd): RunWorkspace {
  const { runId } = run.store;
  const { workspace } = filesOf(run);
  if (workspace === null) throw new BatonError('Client.NoWorkspace', `Run ${runId} has no workspace.`);
  const folder = run.record.workspace;
  return { runId, ...workspace, ...(folder === null ? {} : { folder }) };
}

/** Returns the artifacts of a run. Throws a `BatonError` if its end is not recorded. */
export function storedArtifacts(run: StoredRootEnd): readonly RunArtifact[] {
  return filesOf(run).artifacts;
}

function filesOf({ root, store }: StoredRootEnd) {
  const files = root.ended?.record?.files ?? null;
  if (files !== null) return files;
  throw new BatonError(
    'Client.NotFound',
    `The files of run ${store.runId} are not recorded, because its end is not.`,
    'While it runs, only the server and a worker know them.',
  );
}

/** Builds the tree of a run, or of one of its agents. */
export function storedTree(agent: StoredAgent): TreeNode {
  return { execution: executionOf(agent), children: agent.children.map(storedTree) };
}

const states = { completed: 'COMPLETED', failed: 'FAILED', cancelled: 'CANCELLED' } as const;

function executionOf({ workflowId, delegation, opened, preparedAt, ended }: StoredAgent): AgentExecution {
  return {
    workflowId,
    type: '',
    taskQueue: '',
    // Not one of Temporal's: the end is not recorded.
    state: ended === null ? 'UNKNOWN' : states[ended.status],
    batonStatus: null,
    skill: opened.skill ?? null,
    ordinal: delegation?.request.ordinal ?? null,
    startedAt: Date.parse(preparedAt),
    closedAt: ended === null ? null : Date.parse(ended.at),
  };
}

/** Reads what a tree shows about agents, by workflow id. */
export async function storedDetails(
  run: StoredRun,
  nodes: readonly TreeNode[],
): Promise<ReadonlyMap<string, AgentDetails>> {
  const facts = new StoredFactsReader(run);
  const shown = new Set(nodes.map(({ execution }) => execution.workflowId));
  const found = everyStoredAgent(run.root).filter(({ workflowId }) => shown.has(workflowId));
  const details = found.map(async (agent) => [agent.workflowId, await detailsOf(run, facts, agent)] as const);
  return new Map(await Promise.all(details));
}

/** Converts a stored tree to the format of `baton tree --json`. */
export async function storedAgentTree(run: StoredRun, tree: TreeNode): Promise<AgentTree> {
  return toAgentTree(tree, await storedDetails(run, everyNode(tree)));
}

async function detailsOf(run: StoredRun, facts: StoredFactsReader, agent: StoredAgent): Promise<AgentDetails> {
  const { snapshot, figures } = await facts.of(agent);
  return {
    summary: agent.delegation?.summary ?? rootSummary(run.record),
    snapshot: null,
    importing: null,
    figures,
    // As from the server, which is not asked about agents that have ended.
    budget: agent.delegation === null ? snapshot.budget : null,
    skipped: skippedIn(agent.ended?.record ?? null),
    failure: agent.ended?.record?.failure ?? null,
    fallbacks: snapshot.fallbacks ?? [],
  };
}

/** The summary that a client gives to the root's workflow. */
function rootSummary({ relay, goal }: StoredRun['record']): string {
  return headline(relay === null ? goal : `${relay}: ${goal}`, 100);
}

/** A completed agent whose last decision was to skip it has the operator's text as its answer. */
export function skippedIn(record: EndingRecord | null): AgentDetails['skipped'] {
  const decision = record?.snapshot.decisions.at(-1);
  if (record?.status !== 'completed' || record.skipped !== true) return null;
  return {
    by: decision?.by ?? '',
    text: record.answer !== null && 'text' in record.answer ? record.answer.text : null,
  };
}

/** Returns how an agent ended; null when that is not recorded. */
export async function storedOutcome(run: StoredRun, agent: StoredAgent): Promise<RunOutcome | null> {
  const { ended } = agent;
  if (ended === null) return null;
  if (ended.status === 'cancelled') return { kind: 'cancelled' };
  if (ended.status === 'completed')
    return { kind: 'completed', result: await resultOf(run, agent, ended.record?.answer) };
  const { type, message } = ended.record?.failure ?? { type: 'Unknown', message: 'the reason is not recorded' };
  return { kind: 'failed', type, message, remedy: isFailureType(type) ? failureTypes[type].remedy : undefined };
}

async function resultOf(
  run: StoredRun,
  agent: StoredAgent,
  recorded: SpilledText | null | undefined,
): Promise<RunResult> {
  const { snapshot, figures, answer } = await new StoredFactsReader(run).of(agent);
  return {
    answer: recorded ?? { text: answer ?? '' },
    turns: snapshot.turn,
    usage: snapshot.usage,
    delegatedUsage: snapshot.delegatedUsage,
    microUsd: figures.withDelegations.microUsd,
    ...figures,
    transcript: agent.head,
  };
}

/** Describes the root of a run in one line, like lists do. */
function storedTitle({ record: { goal, prompt, relay }, root }: StoredRun): string {
  const { skill } = root.opened;
  return rootTitle({
    goal: headline(goal, 200),
    ...(prompt === undefined ? {} : { prompt }),
    ...(skill === undefined ? {} : { skill }),
    ...(relay === null ? {} : { relay }),
  });
}

/** Maximum agents whose prompts are part of a report. */
const maxPrompts = 250;

/**
 * Gathers the data of a run's report from the store alone. When the model was called and when tools ran is not recorded,
 * so the timelines are empty.
 */
export async function storedReport(run: StoredRun): Promise<ReportModel> {
  const { store, record, root } = run;
  const all = everyStoredAgent(root);
  const gaps = gapsOf(all);
  const facts = new StoredFactsReader(run);
  const prompts = new ReportPrompts(store, gaps);
  const agents = await Promise.all(
    all.map((agent, index) => reportAgent(facts, index < maxPrompts ? prompts : null, agent)),
  );
  const { answer } = await facts.of(root);
  const now = Date.now();
  return {
    runId: store.runId,
    goal: headline(record.goal, 200),
    title: storedTitle(run),
    status: root.ended?.status ?? 'unknown',
    madeAt: now,
    startedAt: Date.parse(root.preparedAt),
    endedAt: Math.max(...agents.map(({ startedAt, endedAt }) => endedAt ?? startedAt)),
    answer,
    agents,
    artifacts: await loadArtifacts(root.ended?.record?.files?.artifacts ?? [], store, gaps),
    gaps,
  };
}

function gapsOf(all: readonly StoredAgent[]): string[] {
  const open = all.filter(({ ended }) => ended === null).map(({ workflowId }) => agentLabel(workflowId));
  return [
    'This report was made from the store: when models and tools were called is only in the histories of the workflows.',
    ...(open.length === 0
      ? []
      : [`Ended is not recorded for: ${open.slice(0, 20).join(', ')}${open.length > 20 ? ', …' : ''}.`]),
    ...(all.length > maxPrompts
      ? [`Only the first ${maxPrompts} of ${all.length} agents are shown with their prompt.`]
      : []),
  ];
}

async function reportAgent(
  facts: StoredFactsReader,
  prompts: ReportPrompts | null,
  agent: StoredAgent,
): Promise<ReportAgent> {
  const { workflowId, delegation, ended, opened, preparedAt } = agent;
  const { snapshot, tools, figures } = await facts.of(agent);
  return {
    workflowId,
    parent: parentOf(workflowId) ?? null,
    depth: delegationPath(workflowId).length,
    headline: delegation?.headline ?? '',
    model: snapshot.model,
    skill: snapshot.skill,
    status: ended?.status ?? 'unknown',
    failure: ended?.record?.failure ?? null,
    startedAt: Date.parse(preparedAt),
    endedAt: ended === null ? null : Date.parse(ended.at),
    ...figures.own,
    withDelegations: figures.withDelegations,
    segments: [],
    tools,
    injectedTokens: snapshot.injectedTokens,
    activeTokens: snapshot.activeTokens,
    prompt: prompts && (await prompts.read(opened.prompt)),
    incidents: snapshot.incidents,
    decisions: snapshot.decisions,
    handoffs: snapshot.handoffs,
    fallbacks: snapshot.fallbacks ?? [],
  };
}
