import type { Client } from '@temporalio/client';
import type { FinalRecord } from '../../domain/agent';
import { transcriptId } from '../../domain/delegation';
import { parentOf } from '../../domain/kernel';
import type { BlobRef } from '../../domain/store';
import { FinishedChildren } from '../agent/finished-children';
import { readRecordedAgent } from '../agent/history';
import type { AgentToAudit } from './check-agent';

/** Heads of transcripts that end with a final message, by the ids of the transcripts. */
export type HeadsById = ReadonlyMap<string, BlobRef>;

/** Finds the heads of transcripts that end with a final message. */
export function headsById(finals: readonly FinalRecord[]): HeadsById {
  return new Map(finals.map(({ head }) => [transcriptId(head), head]));
}

/**
 * Reads the agents of a run from their histories, parents first. Of a delegation that completed without delegations of
 * its own, the history of its parent tells enough: the head of its transcript is in the store, under the id in its result.
 */
export class AgentsOfHistory {
  /** Finished delegations by the workflow id of their parent. */
  private readonly families = new Map<string, FinishedChildren>();

  constructor(
    private readonly client: Client,
    private readonly heads: HeadsById,
  ) {}

  /** Returns an agent. Its parent must have been read before. */
  async read(workflowId: string): Promise<AgentToAudit> {
    const finished = await this.families.get(parentOf(workflowId) ?? '')?.take(workflowId);
    const head = finished && this.heads.get(finished.transcript);
    if (head !== undefined) return { workflowId, opened: finished?.opened, head, children: [] };
    const family = new FinishedChildren(this.client);
    const agent = await readRecordedAgent(this.client, workflowId, (event) => {
      family.note(event);
    });
    if (agent.children.length > 0) this.families.set(workflowId, family);
    return agent;
  }
}
