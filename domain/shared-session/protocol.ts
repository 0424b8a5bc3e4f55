import type { TurnVerdict, WantedChange } from '../agent/apply-turn';
import type { SnapshotTransfer } from '../dispatch/delegation';
import type { Session, SessionDelta } from '../session';

/** What one agent wants changed in a shared session after one of its turns. */
export interface ApplyRequest {
  /** Delegation id of the agent. */
  readonly writer: string;
  /** Run id of its execution: a reset or continued agent writes anew, and its old execution is fenced off. */
  readonly epoch: string;
  /**
   * When it was asked for, in milliseconds of the server's clock: the time of a workflow task, recorded with the request.
   * It puts executions in order. One workflow id has one open execution at a time, so whatever an execution asks for, by
   * itself or by activities left behind, it asked for before its successor's first task began. Nothing else does: ids of
   * runs have no order, and a reset execution can't know which one it took the place of.
   */
  readonly at: number;
  /** Counts the requests of this execution, from 0. */
  readonly seq: number;
  /** Version of the session that the agent has. */
  readonly since: number;
  readonly turn: number;
  readonly wanted: readonly WantedChange[];
  /** Whether another execution sends it than asked for it: a reset carries over what was under way. */
  readonly resent: boolean;
  /** Of what is wanted: tells a repetition of a request from another one. */
  readonly digest: string;
}

/** What changed since the version that the agent had, its own writes included. */
export type SessionUpdate = { readonly delta: SessionDelta } | { readonly whole: Session };

export type ApplyReply =
  | {
      readonly ok: true;
      readonly version: number;
      readonly verdicts: readonly TurnVerdict[];
      readonly update: SessionUpdate;
    }
  /** Written by an execution that another one has taken the place of: nothing was changed. */
  | { readonly ok: false; readonly reason: 'staleEpoch' | 'gap' | 'otherRequest' | 'closed' };

/** What a `sessionWorkflow` is started with. */
export interface SessionHostStart {
  readonly runId: string;
  readonly storeId: string;
  readonly session: SnapshotTransfer;
  readonly tuning?: HostTuning;
}

/** For tests: how many requests one execution takes before the next one goes on. */
export interface HostTuning {
  readonly requestsPerExecution?: number;
}
