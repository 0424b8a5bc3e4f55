import { type Json, truncateText } from '../../domain/kernel';
import type { StopReason, Usage } from '../../domain/model';
import type { Incident } from '../../domain/operator';

/** Maximum characters of arguments and results in events. */
const maxTextCharacters = 160;

/** Returns the beginning of a text for an event. */
export function eventText(text: string): string {
  return truncateText(text, maxTextCharacters);
}

/** Formats microseconds since 1970 as ISO 8601. */
export function isoTime(microseconds: number): string {
  return new Date(Math.floor(microseconds / 1_000)).toISOString();
}

/** One event of a run. Plain JSON, described in docs/events.md. */
export type RunEvent = EventFrame & EventBody;

/** Fields of every event. */
interface EventFrame {
  /** Time at which the server recorded it, in ISO 8601. */
  readonly at: string;
  /** Workflow id of the agent, or of the host of a shared session, in whose history it is recorded. */
  readonly agent: string;
  /** Cursor for reading exactly the events after this one. Only present if requested. */
  readonly cursor?: string;
}

/** A failure as recorded in history. */
export interface Failure {
  readonly type: string;
  readonly message: string;
}

/** Result of a session event. docs/events.md explains how much of it is recorded. */
export type EventStatus = 'applied' | 'failed' | 'partly' | 'ignored' | 'wanted';

/** The fields that depend on the event kind. */
export type EventBody = LifecycleEvent | OperatorEvent | WorkEvent | SessionLogEvent | DelegationEvent;

/** The kinds of workflows in a run: an agent, or the host of a shared session. */
export type Owner = 'agent' | 'session';

/** Start, continuation and end of an agent or of a host. */
export type LifecycleEvent =
  | {
      readonly kind: `${Owner}.started`;
      /** Temporal's run id of the execution. */
      readonly execution: string;
      readonly delegationId: string | null;
      readonly model: string | null;
    }
  | { readonly kind: `${Owner}.continued`; readonly execution: string }
  | { readonly kind: `${Owner}.reset`; readonly execution: string; readonly reason: string }
  | { readonly kind: `${Owner}.cancelRequested`; readonly reason: string }
  | { readonly kind: `${Owner}.completed` | `${Owner}.cancelled` | `${Owner}.timedOut` }
  | { readonly kind: `${Owner}.failed`; readonly failure: Failure }
  | { readonly kind: `${Owner}.terminated`; readonly reason: string };

/** An agent is waiting for an operator, or an operator has sent it something. */
export type OperatorEvent =
  | {
      readonly kind: 'agent.parked';
      /** Incident id, which a decision refers to. */
      readonly incident: string;
      /** The step that failed. */
      readonly step: string;
      readonly type: string;
      readonly message: string;
      /** A failed step, a requested tool, a call to approve, or a question. */
      readonly incidentKind: Incident['kind'];
      /** The call that waits; omitted when it is not about one. */
      readonly callId?: string;
      /** The beginning of the arguments of that call. */
      readonly arguments?: string;
    }
  | {
      readonly kind: 'agent.answered';
      readonly incident: string;
      readonly action: string;
      readonly by: string;
      readonly note: string;
      /** Set if the decision also applies to further calls. */
      readonly always?: true;
      /** The beginning of the arguments that replaced those of a call. */
      readonly edited?: string;
      /** The beginning of the answer to a question. */
      readonly answer?: string;
    }
  /** No operator decided before the hold timeout. */
  | { readonly kind: 'agent.unanswered'; readonly incident: string }
  /** `by` is null when the parent forwarded it. */
  | { readonly kind: 'agent.paused' | 'agent.resumed'; readonly by: string | null; readonly note: string }
  | { readonly kind: 'agent.steered'; readonly text: string; readonly by: string };

/** Turns, tool calls, and everything else that an agent does itself. */
export type WorkEvent =
  | {
      readonly kind: 'turn';
      readonly turn: number;
      /** When the model was called, ISO 8601. */
      readonly startedAt: string;
      /** Time that the model took, in milliseconds. */
      readonly ms: number;
      /** Number of attempts at the turn; omitted when it took one. */
      readonly attempts?: number;
      readonly stopReason: StopReason;
      readonly usage: Usage;
      /** Names of the tools that the reply calls. */
      readonly tools: readonly string[];
    }
  | {
      readonly kind: 'tool';
      readonly turn: number;
      readonly tool: string;
      readonly callId: string;
      readonly isError: boolean;
      /** When it began, ISO 8601. */
      readonly startedAt: string;
      /** Time that it took, in milliseconds. */
      readonly ms: number;
      /** The beginning of its arguments, as JSON; omitted when only the store has them. */
      readonly arguments?: string;
      /** The beginning of its result; omitted when only the store has it. */
      readonly result?: string;
      /** Present if the tool call did not run to its end. */
      readonly failure?: Failure;
    }
  /** The model was not called, because the call could have exceeded a limit. */
  | {
      readonly kind: 'turn.withheld';
      readonly turn: number;
      readonly reason: 'window' | 'budget';
      readonly message: string;
    }
  /** The model of a turn could not be used, and another one takes the turn and those after it. */
  | {
      readonly kind: 'model.replaced';
      readonly turn: number;
      readonly from: string;
      readonly to: string;
      readonly failure: Failure;
    }
  /** The engine told the agent that a resource runs low, or that it repeats itself. */
  | { readonly kind: 'agent.told'; readonly turn: number; readonly text: string }
  /** A final message or a handoff did not have the required format. */
  | { readonly kind: 'answer.refused' | 'handoff.refused'; readonly violation: string }
  /** The conversation was replaced. The agent continues from the artifact, in a new execution. */
  | {
      readonly kind: 'agent.handedOver';
      readonly handoff: number;
      readonly artifact: string;
      readonly artifactTokens: number;
    }
  | {
      readonly kind: 'tools.changed';
      readonly granted: readonly string[];
      readonly revoked: readonly string[];
      /** Requested tools that the root agent does not have either. */
      readonly refused: readonly string[];
      /** Deferred tools that were brought in; omitted when there are none. */
      readonly found?: readonly string[];
    };

/** A change of session state. */
export interface SessionEventRecord {
  readonly kind: 'session.event';
  /** Delegation id of the agent that wrote it; `root` for the root. */
  readonly writer: string;
  readonly turn: number;
  readonly type: string;
  readonly value: Json;
  readonly status: EventStatus;
  /** Version of the session after this event, if it is recorded. */
  readonly version?: number;
  /** Reason why it was not applied. */
  readonly reason?: string;
}

/** Events about a session. */
export type SessionLogEvent =
  | SessionEventRecord
  /** A host refused a whole request. */
  | { readonly kind: 'session.refused'; readonly writer: string; readonly turn: number; readonly reason: string }
  /** An agent's session is kept by a host until it is returned or lost. */
  | { readonly kind: 'session.shared' | 'session.returned' | 'session.lost'; readonly host: string };

/** Fields that identify a delegation. */
interface OfDelegation {
  readonly delegationId: string;
  /** Workflow id of the child. */
  readonly child: string;
}

/** Start and end of a delegation, as recorded by its parent. */
export type DelegationEvent =
  | (OfDelegation & {
      readonly kind: 'delegation.started' | 'delegation.adopted';
      readonly tool: string | null;
      readonly headline: string;
      /** Number of the parent's turn that requested it; 0 in a relay. */
      readonly turn: number;
      /** The tool call that requested it; null in a relay. */
      readonly callId: string | null;
      /** Zero-based place in the batch that was requested together, and the size of that batch. */
      readonly index: number;
      readonly size: number;
    })
  | {
      readonly kind: 'delegation.refused';
      readonly delegationId: string;
      readonly tool: string;
      readonly reason: string;
    }
  | (OfDelegation & {
      readonly kind: 'delegation.completed';
      /** Usage of the delegation and of the delegations below it. */
      readonly usage: Usage;
      /** Artifact names, as the child chose them. */
      readonly artifacts: readonly string[];
      /** Names of expected artifacts that the child did not write. */
      readonly missingArtifacts: readonly string[];
    })
  | (OfDelegation & { readonly kind: 'delegation.failed'; readonly failure: Failure })
  | (OfDelegation & { readonly kind: 'delegation.cancelled' | 'delegation.terminated' | 'delegation.timedOut' });
