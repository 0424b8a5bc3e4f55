import type { Client } from '@temporalio/client';
import { setTimeout as pause } from 'node:timers/promises';
import { decideIncident, type OpenIncident } from '../../../client/operator/decide';
import { readOpenIncidents } from '../../../client/operator/open-incidents';
import { refusedNote } from '../tree/uses';

const lookEveryMs = 200;

/** Answers whatever waits for an operator: approves notes, and denies those that it has to refuse. */
export class ScriptedOperator {
  /** Whether it sends every answer twice. The second must be refused or change nothing. */
  sendsTwice = false;
  private readonly stopped = new AbortController();
  private readonly working: Promise<void>;

  constructor(
    private readonly client: Client,
    private readonly workflowId: string,
  ) {
    this.working = this.work();
  }

  async stop(): Promise<void> {
    this.stopped.abort();
    await this.working;
  }

  private async work(): Promise<void> {
    while (!this.stopped.signal.aborted) {
      // The server may be down, and a worker may be stopped. Then nobody is found now, but later.
      const waiting = await readOpenIncidents(this.client, this.workflowId).catch(() => []);
      await Promise.all(waiting.map((incident) => this.answer(incident)));
      await pause(lookEveryMs, undefined, { signal: this.stopped.signal }).catch(() => undefined);
    }
  }

  private async answer({ workflowId, incident }: OpenIncident): Promise<void> {
    const isRefused = incident.message.includes(`"${refusedNote} `);
    const decision = isRefused
      ? ({ action: 'deny', incident: incident.id, note: 'by script' } as const)
      : ({ action: 'approve', incident: incident.id } as const);
    for (let times = this.sendsTwice ? 2 : 1; times > 0; times -= 1)
      await decideIncident(this.client, workflowId, decision).catch(() => undefined);
  }
}
