import type { Client } from '@temporalio/client';
import type { StatusSnapshot } from '../../domain/agent';
import type { AgentFigures } from '../../domain/budget';
import { runWorkflowId } from '../../domain/kernel';
import type { DecisionRecord } from '../../domain/operator';
import type { BlobRef, Store } from '../../domain/store';
import {
  type Acknowledgement,
  filesQuery,
  type OperatorNote,
  pauseUpdate,
  resumeUpdate,
  steerUpdate,
} from '../../workflows/messages';
import { agentTree, type AgentTree } from '../delegation/agent-tree';
import { readTree } from '../delegation/read-tree';
import { readEvents, type ReadEventsOptions } from '../event/read-events';
import type { RunEvent } from '../event/record';
import type { Decision } from '../operator/decide';
import { decideForRun } from '../operator/decide-for-run';
import type { RetryFailedOptions } from '../operator/planned-reset';
import { retryAgent, type RetryOutcome } from '../operator/retry-failed';
import { sendUpdate } from '../operator/send-update';
import { FiguresReader } from '../spending/run-figures';
import { diagnose, type Diagnosis } from '../why';
import { type AgentSession, readSession } from '../session/read-session';
import { readText } from '../store/read-text';
import { readRunChanges, type RunChange } from '../workspace/run-changes';
import type { RunArtifact } from '../workspace/run-files';
import { findAgent } from './find-agent';
import { describeRun, outcomeOf, queryRunStatus, type RunOutcome } from './outcome';

/**
 * A run, for use in programs. It is a thin wrapper around a Temporal client that the caller creates and closes.
 * Creating a handle does not contact the server, so methods throw a `BatonError` of type `Client.NotFound` if the run
 * does not exist.
 *
 * Where a method takes `delegation`, pass a delegation id, its first letters or a workflow id. The default, `null`, is
 * the root agent. Throws an `InvalidInputError` for an id with characters that ids can't contain, and a `BatonError` of
 * type `Client.Ambiguous` if several delegations begin with these letters.
 *
 * @example
 * const run = batonRun(client, 'licenses-7');
 * if ((await run.snapshot())?.status === 'needs operator') {
 *   await run.decide(null, { action: 'retry', by: 'nightly job' });
 * }
 */
export class RunHandle {
  readonly workflowId: string;

  constructor(
    private readonly client: Client,
    readonly runId: string,
  ) {
    this.workflowId = runWorkflowId(runId);
  }

  /** Waits until the run has ended and returns its outcome. A failed run is a returned outcome, not an exception. */
  result(): Promise<RunOutcome> {
    return outcomeOf(this.client, this.runId);
  }

  /** Queries the status of the root agent; undefined when no worker answers. */
  snapshot(): Promise<StatusSnapshot | undefined> {
    return queryRunStatus(this.client, this.runId);
  }

  /**
   * Returns the agent and everything below it, with status, figures and failure of each. `store` is as for `spending`.
   */
  async tree(delegation: string | null = null, store?: Store): Promise<AgentTree> {
    return agentTree(this.client, await this.agent(delegation), this.figures(store));
  }

  /**
   * Returns what an agent consumed: its own turns, tokens and cost, and those with everything below it, in whatever state
   * they are. `store` is the store of the run's workers, for example from `openStore`. Without it the server is asked,
   * which takes more requests, and does not know turns that a reset discarded.
   */
  async spending(delegation: string | null = null, store?: Store): Promise<AgentFigures> {
    const workflowId = await this.agent(delegation);
    return (await this.figures(store).read(() => readTree(this.client, workflowId))).of(workflowId);
  }

  private figures(store: Store | undefined): FiguresReader {
    const openStore = store && (() => Promise.resolve(store.forRun(this.runId)));
    return new FiguresReader({ client: this.client, openStore });
  }

  /** Explains why the run failed, or what it is waiting for. */
  why(): Promise<Diagnosis> {
    return diagnose(this.client, this.workflowId);
  }

  /**
   * Yields the events of the run in order. With a cursor, yields exactly those after it. Every event has a cursor for
   * continuing later. With `follow`, waits for new events until the run has ended. Throws a `BatonError` of type
   * `Client.InvalidCursor` if the cursor can't be used.
   */
  async *events(
    cursor?: string,
    options: Omit<ReadEventsOptions, 'cursors'> = {},
  ): AsyncGenerator<RunEvent & { readonly cursor: string }, void, undefined> {
    for await (const event of readEvents(this.client, this.runId, cursor, { ...options, cursors: true })) {
      if (event.cursor !== undefined) yield { ...event, cursor: event.cursor };
    }
  }

  /**
   * Returns the session of an agent: its plan, notes, artifacts, changed files and your own slices. While a batch runs,
   * that is the live session that its agents share. Throws when no worker answers.
   */
  async session(delegation: string | null = null): Promise<AgentSession> {
    return readSession(this.client, await this.agent(delegation));
  }

  /** Lists the artifacts that agents wrote, as refs into the store. Throws when no worker answers. */
  async artifacts(): Promise<readonly RunArtifact[]> {
    await describeRun(this.client, this.runId);
    return (await this.client.workflow.getHandle(this.workflowId).query(filesQuery)).artifacts;
  }

  /**
   * Reads a text that the run has stored, through its workers, so that no access to the store is needed: the answer of a
   * completed run, or any text by its ref, such as an artifact. Throws a `BatonError` of type `Client.Refused` if it
   * does not exist.
   */
  async text(of: 'answer' | Pick<BlobRef, 'hash' | 'bytes'>): Promise<string> {
    const { taskQueue } = await describeRun(this.client, this.runId);
    return readText(this.client, this.runId, of, taskQueue);
  }

  /**
   * Lists the files that the run changed in its workspace, and says which of them can run programs without being asked.
   * `store` is the store of the run's workers, for example from `openStore`.
   */
  changes(store: Store): Promise<readonly RunChange[]> {
    return readRunChanges(this.client, store, this.runId);
  }

  /**
   * Pauses an agent and everything below it before the next model call. Like every request to an agent, throws a
   * `BatonError` if the agent refuses, has ended, or no worker answers within 15 seconds.
   */
  async pause(note: OperatorNote = {}, delegation: string | null = null): Promise<Acknowledgement> {
    return sendUpdate(this.client, await this.agent(delegation), pauseUpdate, note);
  }

  /** Resumes a paused agent and everything below it. */
  async resume(note: OperatorNote = {}, delegation: string | null = null): Promise<Acknowledgement> {
    return sendUpdate(this.client, await this.agent(delegation), resumeUpdate, note);
  }

  /** Sends a steering message to an agent. The model sees it with its next turn. */
  async steer(text: string, note: OperatorNote = {}, delegation: string | null = null): Promise<Acknowledgement> {
    return sendUpdate(this.client, await this.agent(delegation), steerUpdate, { ...note, text });
  }

  /** Requests cancellation. `result()` returns when the run has ended. */
  async cancel(): Promise<void> {
    await describeRun(this.client, this.runId);
    await this.client.workflow.getHandle(this.workflowId).cancel();
  }

  /**
   * Answers an incident and returns the recorded decision. If the root agent has no open incident, the decision applies
   * to the only agent below it that has one. The incident id may be omitted when only one incident matches. Throws a
   * `BatonError` when no incident or several match, or when the agent refuses the decision.
   */
  async decide(delegation: string | null, decision: Decision): Promise<DecisionRecord> {
    const [target, named] = this.targetFor(delegation);
    return (await decideForRun(this.client, target, named, decision)).record;
  }

  /**
   * Retries the run, or one of its delegations. If the agent waits for an operator, its incident is answered. If it has
   * failed, it continues at the step that failed: answers that were paid for are used again, and delegations that have
   * ended keep their results. With an amendment, its settings are changed first. Throws a `BatonError` if there is nothing
   * to retry, and one of type `Client.ParentMovedOn` for a failed delegation unless `withParent` is set.
   */
  retry(delegation: string | null = null, options: RetryFailedOptions = {}): Promise<RetryOutcome> {
    const [target, named] = this.targetFor(delegation);
    return retryAgent(this.client, target, named, options);
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

/**
 * Returns the handle of a run, without checking that the run exists.
 *
 * @example
 * const tree = await batonRun(client, 'licenses-7').tree();
 * console.log(tree.status, tree.children.length);
 */
export function batonRun(client: Client, runId: string): RunHandle {
  return new RunHandle(client, runId);
}
