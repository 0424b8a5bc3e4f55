import type { AgentSettings } from '../../../domain/agent';
import type { ScriptedReply } from '../../../testing/scripted-model';
import type { Random } from '../random';
import type { ScriptedOperator } from '../session/operator';
import type { ChaosSession } from '../session/session';
import type { TreePlan } from '../tree/plan';

/** What a fault can disturb, and where it says what it did. */
export interface Disturbed {
  readonly session: ChaosSession;
  readonly tree: TreePlan;
  readonly workflowId: string;
  readonly random: Random;
  readonly heartbeatTimeoutMs: number;
  readonly operator: ScriptedOperator | undefined;
  /** Replies of a provider in trouble, which the next calls get. */
  readonly badReplies: ScriptedReply[];
  /** Names of the agents that an operator terminated. */
  readonly terminated: Set<string>;
  /** Names of the agents that an operator reset, once for each time. */
  readonly reset: string[];
}

/** Something that goes wrong in a round, or that somebody does to it. */
export interface Fault {
  readonly name: string;
  /** One line for `--help`. */
  readonly summary: string;
  /**
   * Milliseconds after its end during which it may still cause a model call to be repeated, once for each call in
   * progress. Undefined if it must not cause that.
   */
  readonly repeatsCallsFor?: number;
  /** Settings that a run needs for this fault. */
  readonly tuning?: NonNullable<AgentSettings['tuning']>;
  /** Disturbs the round, and returns when everything works again. */
  strike(round: Disturbed): Promise<void>;
}

/** A fault of a round, and the milliseconds between the model's call with this number, from 0, and the fault. */
export interface Strike {
  readonly fault: Fault;
  readonly call: number;
  readonly afterMs: number;
}
