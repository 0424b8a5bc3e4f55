import type { Client } from '@temporalio/client';
import { ConcurrencyLimit } from '../../domain/kernel/concurrency';
import { readEnding } from '../agent/ending';
import { queryAgentStatus } from '../agent/run-view';
import type { AgentDetails, TreeNode } from './tree-node';

const maxConcurrent = 12;
const snapshotTimeoutMs = 2_000;

const unknown: AgentDetails = {
  summary: '',
  snapshot: null,
  usage: null,
  turns: null,
  microUsd: null,
  failure: null,
};

/**
 * Gathers the details of agents that are shown. Details that can't change are read once, however often the tree is
 * drawn.
 */
export class DetailsReader {
  private readonly limit = new ConcurrencyLimit(maxConcurrent);
  private readonly closed = new Map<string, Promise<AgentDetails>>();
  private readonly summaries = new Map<string, Promise<string>>();
  /** False after no worker answered for an agent. Then no further agents are queried in this pass. */
  private answering = true;

  constructor(private readonly client: Client) {}

  /** Reads the details of these agents, by workflow id. */
  async read(nodes: readonly TreeNode[]): Promise<ReadonlyMap<string, AgentDetails>> {
    this.answering = true;
    const found = await Promise.all(
      nodes.map(async (node) => [node.execution.workflowId, await this.detailsOf(node)] as const),
    );
    return new Map(found);
  }

  private async detailsOf({ execution: { workflowId, state, startedAt } }: TreeNode): Promise<AgentDetails> {
    const summary = await this.once(this.summaries, workflowId, () => this.summaryOf(workflowId));
    if (state === 'RUNNING') return { ...unknown, summary, snapshot: await this.snapshot(workflowId) };
    const closing = await this.once(this.closed, `${workflowId} ${startedAt}`, () => this.closing(workflowId));
    return { ...closing, summary };
  }

  private once<T>(cache: Map<string, Promise<T>>, key: string, load: () => Promise<T>): Promise<T> {
    const found = cache.get(key) ?? this.limit.run(load);
    cache.set(key, found);
    return found;
  }

  private snapshot(workflowId: string): Promise<AgentDetails['snapshot']> {
    return this.limit.run(async () => {
      if (!this.answering) return null;
      const snapshot = await queryAgentStatus(this.client, workflowId, snapshotTimeoutMs);
      this.answering = snapshot !== undefined;
      return snapshot ?? null;
    });
  }

  private async closing(workflowId: string): Promise<AgentDetails> {
    const closing = await readEnding(this.client, workflowId);
    if (closing === undefined) return unknown;
    const { usage, turns, microUsd, cause } = closing;
    const failure = cause === null ? null : { type: cause.type, message: cause.message };
    return { ...unknown, usage, turns, microUsd, failure };
  }

  private async summaryOf(workflowId: string): Promise<string> {
    const description = await this.client.workflow.getHandle(workflowId).describe();
    return (await description.staticSummary()) ?? '';
  }
}
