import { type Client, ServiceError } from '@temporalio/client';
import type { StatusSnapshot } from '../../domain/agent';
import { ConcurrencyLimit } from '../../domain/kernel';
import { isServerUnavailable } from '../../temporal-config/node/connection-failure';
import { parkedAgents } from '../agent/find-agent';
import { queryAgentStatus } from '../agent/outcome';
import { pendingChildren } from '../why/pending';
import type { OpenIncident } from './decide';

const maxConcurrent = 8;
/** Maximum agents that are asked for their incidents. */
const maxAsked = 100;

/**
 * Reads the open incidents of an agent and of everything below it, oldest first. The server's list finds most agents at
 * once. Those that it does not know yet, or that it can't list, are found from their parents. Agents for which no worker
 * answers are omitted. `known` is the status of the agent at the top, if it was just read.
 */
export async function readOpenIncidents(
  client: Client,
  workflowId: string,
  known?: StatusSnapshot,
): Promise<readonly OpenIncident[]> {
  const top = known ?? (await queryAgentStatus(client, workflowId));
  if (top === undefined) return [];
  const search = new IncidentSearch(client);
  search.add(workflowId, top);
  if (top.parkedBelow > 0) {
    await search.ask(await listedBelow(client, workflowId));
    if (search.agents(workflowId) < top.parkedBelow) await search.descend(workflowId);
  }
  return search.found.sort((a, b) => (a.incident.since < b.incident.since ? -1 : 1));
}

async function listedBelow(client: Client, workflowId: string): Promise<readonly string[]> {
  try {
    const parked = await parkedAgents(client, workflowId);
    return parked.map((agent) => agent.workflowId).filter((id) => id !== workflowId);
  } catch (error) {
    // A namespace without Baton's search attributes.
    if (error instanceof ServiceError && !isServerUnavailable(error)) return [];
    throw error;
  }
}

/** Collects the incidents of agents, each of which is asked once. */
class IncidentSearch {
  readonly found: OpenIncident[] = [];
  private readonly limit = new ConcurrencyLimit(maxConcurrent);
  private readonly asked = new Map<string, StatusSnapshot | undefined>();

  constructor(private readonly client: Client) {}

  /** Adds what is known of an agent. */
  add(workflowId: string, status: StatusSnapshot | undefined): void {
    this.asked.set(workflowId, status);
    this.found.push(...(status?.incidents ?? []).map((incident) => ({ workflowId, incident })));
  }

  /** Number of agents below this one that have an incident. */
  agents(top: string): number {
    return new Set(this.found.map(({ workflowId }) => workflowId).filter((id) => id !== top)).size;
  }

  /** Asks agents that were not asked yet. */
  async ask(workflowIds: readonly string[]): Promise<void> {
    const fresh = workflowIds.filter((id) => !this.asked.has(id)).slice(0, Math.max(0, maxAsked - this.asked.size));
    for (const id of fresh) this.asked.set(id, undefined);
    await Promise.all(
      fresh.map((id) =>
        this.limit.run(async () => {
          this.add(id, await queryAgentStatus(this.client, id));
        }),
      ),
    );
  }

  /** Asks the delegations of an agent, and those of each below which others wait. */
  async descend(workflowId: string): Promise<void> {
    const description = await this.client.workflow.getHandle(workflowId).describe();
    const children = pendingChildren(description);
    await this.ask(children);
    for (const child of children) if ((this.asked.get(child)?.parkedBelow ?? 0) > 0) await this.descend(child);
  }
}
