import type { Client } from '@temporalio/client';
import { setTimeout as delay } from 'node:timers/promises';
import { mapWithLimit } from '../../domain/kernel';
import { isServerUnavailable } from '../../temporal-config/node/connection-failure';
import { type AgentExecution, agentExecutions, parkedQuery } from '../agent/find-agent';
import { queryAgentStatus } from '../agent/outcome';

/** An incident that waits for an operator. */
export interface OpenIncident {
  readonly workflowId: string;
  /** Id of the incident; empty when no worker says which one it is. */
  readonly id: string;
  readonly since: number;
}

const maxConcurrent = 8;
const queryMs = 3_000;
/** How long all agents together may take to say what they wait for. Those who have not are listed without it. */
const patienceMs = 500;
/** For how long an agent, or a task queue from which nobody has answered, is not asked again. */
const quietMs = 10_000;
/** An answer is good for this long for each agent that waits, so that hundreds don't keep the workers busy. */
const validMsPerAgent = 20;

/**
 * Lists the incidents that wait for an operator. The server's list says which agents wait; their workers are asked for the
 * details. Agents whose workers are away must not delay the others: they may be hundreds, for days.
 */
export class IncidentReader {
  private readonly answers = new Map<string, { readonly at: number; readonly incidents: readonly OpenIncident[] }>();
  /** Until when an agent, or a task queue, is not asked. */
  private readonly quietUntil = new Map<string, number>();
  private readonly lastAnswers = new Map<string, number>();

  constructor(private readonly client: Client) {}

  /** Lists the incidents of all runs, oldest first. */
  async read(): Promise<readonly OpenIncident[]> {
    const found = await agentExecutions(this.client, parkedQuery).catch((error: unknown): AgentExecution[] => {
      // A namespace may lack the search attributes. An outage must not look as if nobody waited.
      if (isServerUnavailable(error)) throw error;
      return [];
    });
    const patient = new AbortController();
    const patience = delay(patienceMs, undefined, { signal: patient.signal }).catch(() => undefined);
    const until = Date.now() + patienceMs;
    await mapWithLimit(found, maxConcurrent, async (agent) => {
      if (Date.now() < until && !this.isKnown(agent, found.length)) await this.ask(agent, patience);
    });
    patient.abort();
    const waiting = new Set(found.map(({ workflowId }) => workflowId));
    for (const workflowId of this.answers.keys()) if (!waiting.has(workflowId)) this.answers.delete(workflowId);
    return found
      .flatMap(({ workflowId, startedAt }) => {
        return this.answers.get(workflowId)?.incidents ?? [{ workflowId, id: '', since: startedAt }];
      })
      .sort((a, b) => a.since - b.since);
  }

  /** Whether asking an agent is of no use now: it has just answered, or nobody is there to answer. */
  private isKnown({ workflowId, taskQueue }: AgentExecution, waiting: number): boolean {
    const isQuiet = [workflowId, taskQueue].some((name) => Date.now() < (this.quietUntil.get(name) ?? 0));
    return isQuiet || Date.now() < (this.answers.get(workflowId)?.at ?? 0) + waiting * validMsPerAgent;
  }

  /** Asks an agent. An answer that comes after the patience has ended is there at the next look. */
  private async ask({ workflowId, taskQueue }: AgentExecution, patience: Promise<unknown>): Promise<void> {
    const asked = Date.now();
    this.quietUntil.set(workflowId, asked + quietMs);
    const answered = queryAgentStatus(this.client, workflowId, queryMs).then((snapshot) => {
      if (snapshot === undefined) return;
      const incidents = snapshot.incidents.map(({ id, since }) => ({ workflowId, id, since: Date.parse(since) }));
      this.answers.set(workflowId, { at: Date.now(), incidents });
      this.lastAnswers.set(taskQueue, Date.now());
      for (const name of [workflowId, taskQueue]) this.quietUntil.delete(name);
    });
    await Promise.race([answered, patience]);
    if ((this.lastAnswers.get(taskQueue) ?? 0) < asked) this.quietUntil.set(taskQueue, Date.now() + quietMs);
  }
}
