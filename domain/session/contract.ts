import type { BlobRef } from '../store';
import type { SessionDelta } from './delta';
import type { Session } from './session';
import type { SessionSnapshot } from './snapshot';
import type { ChangeVerdict, RequestedChange } from './turn';

/** A session snapshot as it is passed to a child: inline if it is small, otherwise stored once per session version. */
export type SnapshotPayload = { readonly inline: SessionSnapshot } | { readonly ref: BlobRef };

/** Maximum bytes of JSON of a session snapshot that is passed inline. */
export const inlineSnapshotBytes = 8 * 1024;

/** A writer's request to the host: the changes of one turn, or a chunk of them. */
export interface ApplyRequest {
  /** Delegation id of the agent. */
  readonly writer: string;
  /**
   * Temporal run id of the agent's execution. After a reset or continue-as-new, the host fences off the old execution.
   */
  readonly epoch: string;
  /**
   * Time of the workflow task that made the request, in milliseconds of the server's clock. It is recorded with the
   * request and orders executions. One workflow id has one open execution at a time, so every request of an execution,
   * even one sent by an activity that outlives it, was made before its successor's first task began. Nothing else
   * orders executions: run ids have no order, and a reset execution can't know which one it replaced.
   */
  readonly at: number;
  /** Sequence number of the request within its execution, 0-based. */
  readonly seq: number;
  /** Version of the session that the agent has. */
  readonly since: number;
  readonly turn: number;
  readonly wanted: readonly RequestedChange[];
  /** Whether the sending execution is not the one that made the request. A reset carries over pending activities. */
  readonly resent: boolean;
  /** Digest of `wanted`, to distinguish a repetition from a different request. */
  readonly digest: string;
}

/** All changes since the version that the agent had, including its own, or the whole session. */
export type SessionUpdate = { readonly delta: SessionDelta } | { readonly whole: Session };

/** The host's reply to one request. */
export type ApplyReply =
  | {
      readonly ok: true;
      readonly version: number;
      readonly verdicts: readonly ChangeVerdict[];
      readonly update: SessionUpdate;
    }
  /** The host refused the request and changed nothing. `staleEpoch`: the sending execution has been replaced. */
  | { readonly ok: false; readonly reason: 'staleEpoch' | 'gap' | 'otherRequest' | 'closed' };

/** Input of a `sessionWorkflow`. */
export interface SessionHostStart {
  readonly runId: string;
  readonly storeId: string;
  readonly session: SnapshotPayload;
  readonly tuning?: HostTuning;
}

/** Host internals that tests change. */
interface HostTuning {
  /** Requests after which the host continues as new. */
  readonly requestsPerExecution?: number;
}
