import type { Client } from '@temporalio/client';
import { runWorkflowId } from '../domain/ids';
import type { DecisionRecord } from '../domain/operator/incident';
import { filesQuery, pauseUpdate, resumeUpdate, steerUpdate } from '../workflows/messages';
import type { Acknowledgement, OperatorWords } from '../workflows/messages';
import type { RunSnapshot } from '../domain/run/result';
import { readEvents, type ReadEventsOptions } from './events/read-events';
import type { RunEvent } from './events/record';
import type { Decision } from './operate/decide';
import { decideSomewhere } from './operate/decide-somewhere';
import { findAgent } from './operate/find-agent';
import { sendUpdate } from './operate/send-update';
import { outcomeOf, type RunOutcome } from './outcome';
import { describeRun, snapshotOf } from './run-view';
import { agentTree, type AgentTree } from './tree';
import { whyOf, type Why } from './why';
import type { RunArtifact } from './workspace/run-files';

/** A run as a program handles it: a thin cover over a Temporal client, which stays the caller's to close. */
export class RunHandle {
  readonly workflowId: string;

  constructor(
    private readonly client: Client,
    readonly runId: string,
  ) {
    this.workflowId = runWorkflowId(runId);
  }

  /** Waits until the run has ended, and says how. */
  result(): Promise<RunOutcome> {
    return outcomeOf(this.client, this.runId);
  }

  /** Where the run stands, by its own word; undefined when no worker is there to answer. */
  snapshot(): Promise<RunSnapshot | undefined> {
    return snapshotOf(this.client, this.runId);
  }

  /** Every agent of the run, or of a part of it. */
  async tree(delegation: string | null = null): Promise<AgentTree> {
    return agentTree(this.client, await this.agent(delegation));
  }

  /** Why the run failed, or what it waits for. */
  why(): Promise<Why> {
    return whyOf(this.client, this.workflowId);
  }

  /** What has happened, in order; with a cursor, exactly what follows it. Each event has the cursor to go on from. */
  events(cursor?: string, options: Omit<ReadEventsOptions, 'cursors'> = {}): AsyncGenerator<RunEvent, void, undefined> {
    return readEvents(this.client, this.runId, cursor, { ...options, cursors: true });
  }

  /** Texts that the agents left, as refs into the store. Needs a worker. */
  async artifacts(): Promise<readonly RunArtifact[]> {
    await describeRun(this.client, this.runId);
    return (await this.client.workflow.getHandle(this.workflowId).query(filesQuery)).artifacts;
  }

  /** Stops the run, or one delegation and what is below it, before the next model call. */
  async pause(words: OperatorWords = {}, delegation: string | null = null): Promise<Acknowledgement> {
    return sendUpdate(this.client, await this.agent(delegation), pauseUpdate, words);
  }

  async resume(words: OperatorWords = {}, delegation: string | null = null): Promise<Acknowledgement> {
    return sendUpdate(this.client, await this.agent(delegation), resumeUpdate, words);
  }

  /** Tells an agent something with its next turn. */
  async steer(text: string, words: OperatorWords = {}, delegation: string | null = null): Promise<Acknowledgement> {
    return sendUpdate(this.client, await this.agent(delegation), steerUpdate, { ...words, text });
  }

  /** Asks the run to stop; `result()` says when it has. */
  async cancel(): Promise<void> {
    await describeRun(this.client, this.runId);
    await this.client.workflow.getHandle(this.workflowId).cancel();
  }

  /**
   * Answers an incident: of a delegation (its id, or the path of its workflow id), or with null of the run's own agent. A
   * root that has none stands for the only agent below it that has; the incident may be left out when there is just one.
   */
  async decide(delegation: string | null, decision: Decision): Promise<DecisionRecord> {
    const [target, named] = this.targetFor(delegation);
    return (await decideSomewhere(this.client, target, named, decision)).record;
  }

  private async agent(delegation: string | null): Promise<string> {
    const [target, named] = this.targetFor(delegation);
    return (await findAgent(this.client, target, named)).workflowId;
  }

  private targetFor(delegation: string | null): readonly [string, string | undefined] {
    if (delegation?.startsWith(`${this.workflowId}/`) === true) return [delegation, undefined];
    return [this.workflowId, delegation ?? undefined];
  }
}

/** The handle of a run, whether or not there is one of that id. */
export function batonRun(client: Client, runId: string): RunHandle {
  return new RunHandle(client, runId);
}
