import type { Client } from '@temporalio/client';
import type { StatusSnapshot } from '../../domain/agent';
import { addFigures, type AgentFigures, type Figures, figuresOf, noFigures } from '../../domain/budget';
import { ConcurrencyLimit } from '../../domain/kernel';
import type { AgentExecution } from '../agent/find-agent';
import { readEnding } from '../agent/ending';
import { queryAgentStatus } from '../agent/outcome';
import type { TreeNode } from '../delegation/tree-node';
import { readCompletedChildren } from '../delegation/completed-children';
import { readHistorySpending } from './history-spending';

/** What the agents of a run have consumed, at one moment. */
export interface RunFigures {
  /** Returns the figures of an agent by workflow id: its own, and with everything below it. */
  of(workflowId: string): AgentFigures;
}

/** Asks a running agent for its status. Undefined if no worker answered. */
export type AskStatus = (workflowId: string) => Promise<StatusSnapshot | undefined>;

const maxConcurrent = 12;
const snapshotTimeoutMs = 2_000;
/** Number of delegations from which on reading their parent's history takes fewer requests than asking each of them. */
const largeFamily = 20;

/** Reads what agents consumed from the server, for clients that can't read the store. */
export class ServerFigures {
  private readonly limit = new ConcurrencyLimit(maxConcurrent);
  /** Figures that can't change any more, by execution. */
  private readonly closed = new Map<string, Promise<Figures>>();
  private answering = true;

  constructor(private readonly client: Client) {}

  /** Reads the figures of an agent and of everything below it. `ask` is given by those who ask the same agents as well. */
  async read(tree: TreeNode, ask: AskStatus = this.ask): Promise<RunFigures> {
    this.answering = true;
    const found = new Map<string, AgentFigures>();
    await this.collect(tree, found, ask);
    return { of: (workflowId) => found.get(workflowId) ?? { own: noFigures, withDelegations: noFigures } };
  }

  private async collect(
    { execution, children }: TreeNode,
    found: Map<string, AgentFigures>,
    ask: AskStatus,
  ): Promise<Figures> {
    await this.readLargeFamily(execution.workflowId, children);
    const own = await this.own(execution, ask);
    const below = await Promise.all(children.map((child) => this.collect(child, found, ask)));
    const withDelegations = below.reduce(addFigures, own);
    found.set(execution.workflowId, { own, withDelegations });
    return withDelegations;
  }

  private own(execution: AgentExecution, ask: AskStatus): Promise<Figures> {
    if (execution.state === 'RUNNING') return this.limit.run(() => this.running(execution.workflowId, ask));
    const key = closedKey(execution);
    const known = this.closed.get(key) ?? this.limit.run(() => this.ended(execution.workflowId));
    this.closed.set(key, known);
    // A request that was lost is repeated at the next look.
    known.catch(() => this.closed.delete(key));
    return known;
  }

  private async running(workflowId: string, ask: AskStatus): Promise<Figures> {
    const snapshot = await ask(workflowId);
    return snapshot === undefined ? this.fromHistory(workflowId) : figuresOf(snapshot.spent);
  }

  private readonly ask: AskStatus = async (workflowId) => {
    if (!this.answering) return undefined;
    const snapshot = await queryAgentStatus(this.client, workflowId, snapshotTimeoutMs);
    this.answering = snapshot !== undefined;
    return snapshot;
  };

  private async ended(workflowId: string): Promise<Figures> {
    const own = (await readEnding(this.client, workflowId))?.own;
    return own ?? this.fromHistory(workflowId);
  }

  private async fromHistory(workflowId: string): Promise<Figures> {
    return figuresOf(await readHistorySpending(this.client, workflowId));
  }

  private async readLargeFamily(parent: string, children: readonly TreeNode[]): Promise<void> {
    const unknown = children.filter(({ execution }) => {
      return execution.state === 'COMPLETED' && !this.closed.has(closedKey(execution));
    });
    if (unknown.length < largeFamily) return;
    const completed = await readCompletedChildren(this.client, parent);
    for (const { execution } of unknown) {
      const own = completed.get(execution.workflowId)?.own;
      if (own != null) this.closed.set(closedKey(execution), Promise.resolve(own));
    }
  }
}

/** A delegation that is started again under the same id has other figures. */
function closedKey({ workflowId, closedAt }: AgentExecution): string {
  return `${workflowId} ${closedAt}`;
}
