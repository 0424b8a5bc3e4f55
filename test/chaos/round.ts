import type { WorkflowHandle } from '@temporalio/client';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startRelay, startRun } from '../../client/agent/start';
import { defaultLimits } from '../../domain/agent';
import { runWorkflowId } from '../../domain/kernel';
import { parseRelay } from '../../domain/relay';
import type { ScriptedCall, ScriptedReply } from '../../testing/scripted-model';
import type { Disturbed, Strike } from './faults/fault';
import { journaledCalls } from './journal';
import { type Random, seeded } from './random';
import { ScriptedOperator } from './session/operator';
import type { ChaosSession } from './session/session';
import { chaosCommands } from './session/skill';
import { maxDepth } from './tree/generate';
import { introduction, type TreePlan } from './tree/plan';
import { TreePlayer } from './tree/play';
import { approvedNote, chaosServer, chaosSkill, refusedNote } from './tree/uses';

/** A request that the model received. */
export interface AskedCall {
  readonly name: string;
  readonly at: number;
  /** Whether a fault of the provider was the reply. */
  readonly wasDisturbed: boolean;
}

/** A time in which calls in progress may be repeated once, because of a fault. */
export interface CallWindow {
  readonly until: number;
  /** Calls whose replies were on the disk when it began. */
  readonly journaled: ReadonlySet<string>;
}

/** A tree that is being played and disturbed. */
export class Round implements Disturbed {
  readonly player: TreePlayer;
  readonly workflowId: string;
  readonly asked: AskedCall[] = [];
  readonly windows: CallWindow[] = [];
  /** What agents were told that differs from the plan. */
  readonly wronglyTold = new Set<string>();
  readonly terminated = new Set<string>();
  readonly reset: string[] = [];
  readonly badReplies: ScriptedReply[] = [];
  readonly random: Random;
  operator: ScriptedOperator | undefined;
  hasEnded = false;
  /** Longest time in which this process or a worker that nobody stopped got nothing done, in milliseconds. */
  longestStallMs = 0;

  /** Short, so that a dead worker is noticed soon, but long enough that a busy machine does not look dead. */
  readonly heartbeatTimeoutMs = 4_000;

  constructor(
    readonly session: ChaosSession,
    readonly tree: TreePlan,
    readonly strikes: readonly Strike[],
    seed: number,
  ) {
    this.player = new TreePlayer(tree);
    this.workflowId = runWorkflowId(tree.runId);
    this.random = seeded(seed + 1);
  }

  /** Whether the machine was so busy that a worker may have looked dead, although nothing was done to it. */
  get wasStalled(): boolean {
    return this.longestStallMs > this.heartbeatTimeoutMs / 2;
  }

  get handle(): WorkflowHandle {
    return this.session.client.workflow.getHandle(this.workflowId);
  }

  get storeDir(): string {
    return join(this.session.folder, 'store');
  }

  /** Plays the model. Requests of an earlier round that was given up get an error. */
  reply(call: ScriptedCall): ScriptedReply {
    const name = this.player.callName(call);
    const bad = name === undefined ? undefined : this.badReplies.shift();
    if (name !== undefined) this.asked.push({ name, at: Date.now(), wasDisturbed: bad !== undefined });
    for (const wrong of this.player.wronglyTold(call)) this.wronglyTold.add(wrong);
    return bad ?? this.player.reply(call);
  }

  async start(): Promise<void> {
    const { session, tree } = this;
    session.model.setScript((call) => this.reply(call));
    const tuning = Object.assign({}, ...this.strikes.map(({ fault }) => fault.tuning ?? {})) as object;
    const input = {
      runId: tree.runId,
      goal: introduction(tree.root.name, tree.runId),
      model: { name: 'claude-sonnet-5-5', maxTokens: 2_000, window: 200_000 },
      limits: { ...defaultLimits, maxTurns: 50, maxDepth },
      tuning: { heartbeatTimeoutMs: this.heartbeatTimeoutMs, retryIntervalMs: 300, ...tuning },
      workspace: { root: session.workspace },
      mcp: { [chaosServer]: '*' as const },
      approve: [{ tool: 'add_note', when: `^(${approvedNote}|${refusedNote}) `, reason: 'By rule.' }],
      ...(session.hasCommands ? { commands: chaosCommands } : {}),
    };
    if (tree.root.isRelay === true)
      await startRelay(session.client, session.taskQueue, { ...input, relay: relayOf(tree) });
    else await startRun(session.client, session.taskQueue, input);
    this.operator = new ScriptedOperator(session.client, this.workflowId);
  }

  /** Carries out the strikes, one after the other, each at its moment. */
  async disturb(): Promise<void> {
    for (const { fault, call, afterMs } of this.strikes) {
      while (this.asked.length <= call && !this.hasEnded) await pause(5);
      await pause(afterMs);
      const journaled = await journaledCalls(this.storeDir, this.tree.runId);
      await this.session.workers.fill();
      await fault.strike(this);
      if (fault.repeatsCallsFor !== undefined)
        this.windows.push({ until: Date.now() + fault.repeatsCallsFor, journaled });
    }
  }

  /** Waits until the root has closed, or the time is up. The server may be down meanwhile. */
  async waitForEnd(limitMs: number): Promise<void> {
    const end = Date.now() + limitMs;
    while (!this.hasEnded && Date.now() < end) {
      const status = await this.handle.describe().then(
        (description) => description.status.name,
        () => 'RUNNING',
      );
      this.hasEnded = status !== 'RUNNING';
      if (!this.hasEnded) await pause(100);
    }
  }
}

function relayOf({ root, runId }: TreePlan): object & Parameters<typeof startRelay>[2]['relay'] {
  const steps = root.steps.map(([use], index) => {
    const child = use !== undefined && 'children' in use ? use.children[0] : undefined;
    return {
      name: `step${index}`,
      skill: chaosSkill,
      input: { goal: { value: introduction(child?.name ?? '', runId) } },
    };
  });
  const parsed = parseRelay({ name: 'chaos', description: 'For a round.', steps });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.relay;
}
