import { proxyActivities } from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import type { Spending } from '../../domain/budget';
import { recordOptions } from '../../temporal-config/activity-options';
import { activityOptions, type Agent, agentWorkflowId, storeLocation } from '../agent/agent';
import { patches } from '../patches';

/** Maximum delegations that one activity looks up: its result has to fit into a payload. */
const maxTogether = 100;

/**
 * Looks up what delegations have spent that ended without reporting it. Delegations that end while a lookup is in
 * progress are looked up together, because each one reads the whole journal of the run.
 */
export class UnreportedSpending {
  private waiting: { readonly workflowId: string; readonly take: (spent: Spending | undefined) => void }[] = [];
  private isReading = false;

  /** Returns what a delegation has spent with everything below it; undefined if that can't be found out. */
  of(agent: Agent, delegationId: string): Promise<Spending | undefined> {
    if (!patches.looksUpSpending()) return Promise.resolve(undefined);
    const workflowId = `${agentWorkflowId()}/${delegationId}`;
    return new Promise((take) => {
      this.waiting.push({ workflowId, take });
      if (!this.isReading) void this.readAll(agent);
    });
  }

  private async readAll(agent: Agent): Promise<void> {
    this.isReading = true;
    while (this.waiting.length > 0) {
      const together = this.waiting.splice(0, maxTogether);
      const found = await this.read(
        agent,
        together.map(({ workflowId }) => workflowId),
      ).catch(() => []);
      together.forEach(({ take }, index) => {
        take(found[index]);
      });
    }
    this.isReading = false;
  }

  private read(agent: Agent, agents: readonly string[]): Promise<readonly Spending[]> {
    const options = activityOptions(recordOptions, agent.settings, 'look up what was spent');
    const { readSpending } = proxyActivities<AgentActivities>(options);
    return readSpending({ ...storeLocation(agent), agents });
  }
}
