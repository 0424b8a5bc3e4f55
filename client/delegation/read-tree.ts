import {
  type Client,
  ServiceError,
  type WorkflowExecutionDescription,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { readRootMemo, rootTitle, type StatusSnapshot } from '../../domain/agent';
import { type Allowance, noFigures } from '../../domain/budget';
import { limitMark } from '../../domain/limit';
import { ConcurrencyLimit, parentOf } from '../../domain/kernel';
import { isServerUnavailable } from '../../temporal-config/node/connection-failure';
import { readEnding } from '../agent/ending';
import {
  type AgentExecution,
  agentExecutions,
  agentsQuery,
  byStart,
  subtreeQuery,
  toExecution,
} from '../agent/find-agent';
import { readRecordedAgent } from '../agent/history';
import { describeAgent, queryAgentStatus } from '../agent/outcome';
import { BatonError } from '../client-errors';
import { readBudget } from '../spending/read-budget';
import { FiguresReader } from '../spending/run-figures';
import { limitWait } from '../why/limit-wait';
import { waitsForStore } from '../why/pending';
import { mountProgress } from '../workspace/mount-progress';
import { readCompletedChildren } from './completed-children';
import { type AgentDetails, buildTree, type TreeNode } from './tree-node';

/**
 * Reads an agent and everything below it from one list of the server. The root is also described, because lists lag a
 * little. If the server can't list by workflow id, or its list is still empty, the histories are read instead.
 */
export async function readTree(client: Client, workflowId: string): Promise<TreeNode> {
  const root = toExecution(await describeAgent(client, workflowId));
  const listed = await listedAgents(client, workflowId);
  const others =
    listed.length > 0 ? listed.filter((found) => found.workflowId !== workflowId) : await fromHistories(client, root);
  // The list also has executions that a reset replaced.
  const earlier = listed.find((found) => found.workflowId === workflowId)?.startedAt ?? Infinity;
  const top = { ...root, startedAt: Math.min(root.startedAt, earlier) };
  const tree = buildTree([top, ...others].sort(byStart), workflowId);
  return tree ?? { execution: top, children: [] };
}

async function listedAgents(client: Client, workflowId: string): Promise<readonly AgentExecution[]> {
  try {
    return await agentExecutions(client, `${subtreeQuery(workflowId)} AND ${agentsQuery}`);
  } catch (error) {
    if (error instanceof ServiceError && !isServerUnavailable(error)) return [];
    throw error;
  }
}

async function fromHistories(client: Client, parent: AgentExecution): Promise<AgentExecution[]> {
  const { children } = await readRecordedAgent(client, parent.workflowId);
  const found: AgentExecution[] = [];
  for (const child of children) {
    const execution = await describeAgent(client, child).then(toExecution, undefinedIfNotFound);
    // Undefined for a delegation that was requested but not started yet.
    if (execution !== undefined) found.push(execution, ...(await fromHistories(client, execution)));
  }
  return found;
}

function undefinedIfNotFound(error: unknown): undefined {
  if (error instanceof BatonError && error.type === 'Client.NotFound') return undefined;
  throw error;
}

const maxConcurrent = 12;
const snapshotTimeoutMs = 2_000;
/** Running agents whose activities are looked at. What keeps one of them waiting mostly keeps the others waiting too. */
const maxDescribed = 100;
/** Number of delegations from which on reading their parent's history takes less than two requests for each of them. */
const largeFamily = 50;

const unknown: AgentDetails = {
  summary: '',
  snapshot: null,
  importing: null,
  figures: { own: noFigures, withDelegations: noFigures },
  budget: null,
  skipped: null,
  failure: null,
  fallbacks: [],
};

/** What a running agent does at the moment. */
interface CurrentProgress {
  readonly snapshot: StatusSnapshot | null;
  readonly importing: string | null;
  readonly storeTrouble?: string;
}

/**
 * Gathers the details of agents that are shown. Details that can't change are read once, however often the tree is
 * drawn.
 */
export class DetailsReader {
  private readonly limit = new ConcurrencyLimit(maxConcurrent);
  private readonly closed = new Map<string, Promise<AgentDetails>>();
  private readonly summaries = new Map<string, Promise<string>>();
  /** What running agents answered in this pass. */
  private readonly snapshots = new Map<string, Promise<StatusSnapshot | undefined>>();
  /** False after no worker answered for an agent. Then no further agents are queried in this pass. */
  private answering = true;
  /** Number of running agents that were described in this pass. */
  private described = 0;

  private readonly budgets = new Map<string, Promise<Allowance | null>>();
  private readonly figures: FiguresReader;

  /** `figures` also reads the store, if there is one. Default: only the server is asked. */
  constructor(
    private readonly client: Client,
    figures?: FiguresReader,
  ) {
    this.figures = figures ?? new FiguresReader({ client });
  }

  /** Reads the details of these agents, by workflow id. The others are below the first one. */
  async read(nodes: readonly TreeNode[]): Promise<ReadonlyMap<string, AgentDetails>> {
    this.answering = true;
    this.described = 0;
    this.snapshots.clear();
    const [top] = nodes;
    if (top === undefined) return new Map();
    await this.readLargeFamilies(nodes);
    const figures = await this.figures.read(
      () => top,
      (workflowId) => this.snapshot(workflowId),
    );
    const found = await Promise.all(
      nodes.map(async (node) => {
        const { workflowId } = node.execution;
        const details = await this.detailsOf(node);
        const budget = details.snapshot?.budget ?? (node === top ? await this.budgetOf(workflowId) : null);
        return [workflowId, { ...details, figures: figures.of(workflowId), budget }] as const;
      }),
    );
    return new Map(found);
  }

  /** Reads the delegations of agents that have very many from the agents' own histories. */
  private async readLargeFamilies(nodes: readonly TreeNode[]): Promise<void> {
    const families = new Map<string, AgentExecution[]>();
    for (const { execution } of nodes) {
      const parent = parentOf(execution.workflowId);
      if (parent === undefined || execution.state !== 'COMPLETED' || this.closed.has(closedKey(execution))) continue;
      const family = families.get(parent);
      if (family === undefined) families.set(parent, [execution]);
      else family.push(execution);
    }
    for (const [parent, children] of families) {
      if (children.length < largeFamily) continue;
      const completed = await readCompletedChildren(this.client, parent);
      for (const execution of children) {
        const child = completed.get(execution.workflowId);
        if (child === undefined) continue;
        const { summary, skipped } = child;
        this.summaries.set(execution.workflowId, Promise.resolve(summary));
        this.closed.set(closedKey(execution), Promise.resolve({ ...unknown, skipped }));
      }
    }
  }

  private async detailsOf({ execution }: TreeNode): Promise<AgentDetails> {
    const { workflowId, state } = execution;
    const summary = await this.once(this.summaries, workflowId, () => this.summaryOf(workflowId));
    if (state === 'RUNNING') return { ...unknown, summary, ...(await this.progressOf(workflowId)) };
    const closing = await this.once(this.closed, closedKey(execution), () => this.closing(workflowId));
    return { ...closing, summary };
  }

  private async progressOf(workflowId: string): Promise<CurrentProgress> {
    const snapshot = (await this.snapshot(workflowId)) ?? null;
    const description = await this.describe(workflowId);
    if (description === undefined) return { snapshot, importing: null };
    const trouble = await waitsForStore(this.client, description);
    return {
      snapshot: snapshot && (await this.withLimit(description, snapshot)),
      importing: (await mountProgress(this.client, description)) ?? null,
      ...(trouble === undefined ? {} : { storeTrouble: trouble }),
    };
  }

  /** An agent does not know what its activities wait for. Of very many agents, only the first ones are described. */
  private async describe(workflowId: string): Promise<WorkflowExecutionDescription | undefined> {
    if (this.described >= maxDescribed) return undefined;
    this.described += 1;
    const handle = this.client.workflow.getHandle(workflowId);
    return this.limit.run(() => handle.describe()).catch(() => undefined);
  }

  /** The agent itself does not know that the turn which it waits for has not begun. */
  private async withLimit(
    description: WorkflowExecutionDescription,
    snapshot: StatusSnapshot,
  ): Promise<StatusSnapshot> {
    if (!snapshot.waitingFor.includes(limitMark)) return snapshot;
    const limit = await limitWait(this.client, description);
    return limit === undefined ? snapshot : { ...snapshot, waitingFor: `${limit}; ${snapshot.waitingFor}` };
  }

  private budgetOf(workflowId: string): Promise<Allowance | null> {
    return this.once(this.budgets, workflowId, () => readBudget(this.client, workflowId));
  }

  private once<T>(cache: Map<string, Promise<T>>, key: string, load: () => Promise<T>): Promise<T> {
    const known = cache.get(key);
    if (known !== undefined) return known;
    const found = this.limit.run(load);
    cache.set(key, found);
    // A request that was lost is repeated at the next look.
    found.catch(() => cache.delete(key));
    return found;
  }

  private snapshot(workflowId: string): Promise<StatusSnapshot | undefined> {
    return this.once(this.snapshots, workflowId, async () => {
      if (!this.answering) return undefined;
      const snapshot = await queryAgentStatus(this.client, workflowId, snapshotTimeoutMs);
      this.answering = snapshot !== undefined;
      return snapshot;
    });
  }

  private async closing(workflowId: string): Promise<AgentDetails> {
    const closing = await readEnding(this.client, workflowId);
    if (closing === undefined) return unknown;
    const { skipped, cause, fallbacks } = closing;
    const failure = cause === null ? null : { type: cause.type, message: cause.message };
    return { ...unknown, skipped, failure, fallbacks };
  }

  private async summaryOf(workflowId: string): Promise<string> {
    const description = await this.client.workflow.getHandle(workflowId).describe();
    const summary = (await description.staticSummary()) ?? rootTitle(readRootMemo(description.memo));
    const first = description.raw.workflowExecutionInfo?.firstRunId;
    if (summary !== '' || !first || first === description.runId) return summary;
    // An execution that continues another one has no summary of its own.
    const original = await this.client.workflow.getHandle(workflowId, first).describe().catch(undefinedIfGone);
    return (await original?.staticSummary()) ?? '';
  }
}

/** A delegation that is started again under the same id has other details. */
function closedKey({ workflowId, closedAt }: AgentExecution): string {
  return `${workflowId} ${closedAt}`;
}

/** The server deletes executions that ended long ago, also if a later one continues them. */
function undefinedIfGone(error: unknown): undefined {
  if (error instanceof WorkflowNotFoundError) return undefined;
  throw error;
}
