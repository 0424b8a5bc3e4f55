import type { Usage } from '../../domain/model/usage';
import type { Json } from '../../domain/json-value';

/** Something that happened in a run. Plain JSON; described in docs/events.md. */
export type RunEvent = EventFrame & EventBody;

export interface EventFrame {
  /** When the server recorded it, in ISO 8601. */
  readonly at: string;
  /** Workflow id of the agent, or of the host of a shared session, in whose history it stands. */
  readonly agent: string;
  /** Reading on from here gives exactly what follows this event. Only when asked for. */
  readonly cursor?: string;
}

export interface Failure {
  readonly type: string;
  readonly message: string;
}

/** What became of a session event: see docs/events.md for how much of that is on record. */
export type EventStatus = 'applied' | 'failed' | 'partly' | 'ignored' | 'wanted';

export type EventBody = LifecycleEvent | OperatorEvent | WorkEvent | SessionLogEvent | DelegationEvent;

/** Who lives a life of its own in a run: an agent, or the host of a shared session. */
export type Owner = 'agent' | 'session';

export type LifecycleEvent =
  | {
      readonly kind: `${Owner}.started`;
      /** Run id of the execution. */
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

/** An agent waits for an operator, or one has spoken to it. */
export type OperatorEvent =
  | {
      readonly kind: 'agent.parked';
      /** Id of the incident, which an answer has to name. */
      readonly incident: string;
      /** What was being done. */
      readonly step: string;
      readonly type: string;
      readonly message: string;
    }
  | {
      readonly kind: 'agent.answered';
      readonly incident: string;
      readonly action: string;
      readonly by: string;
      readonly note: string;
    }
  /** Nobody answered in time. */
  | { readonly kind: 'agent.unanswered'; readonly incident: string }
  /** By whom is null when the agent above passed it on. */
  | { readonly kind: 'agent.paused' | 'agent.resumed'; readonly by: string | null; readonly note: string }
  | { readonly kind: 'agent.steered'; readonly text: string; readonly by: string };

export type WorkEvent =
  | {
      readonly kind: 'turn';
      readonly turn: number;
      readonly stopReason: string;
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
      /** When the tool itself could not be run to its end. */
      readonly failure?: Failure;
    }
  /** The model was not asked, since the call might have passed a limit. */
  | {
      readonly kind: 'turn.withheld';
      readonly turn: number;
      readonly reason: 'window' | 'budget';
      readonly message: string;
    }
  /** A final message, or a handoff, was not in the form that was asked for. */
  | { readonly kind: 'answer.refused' | 'handoff.refused'; readonly violation: string }
  /** The conversation was ended; a fresh one goes on from the artifact, in a new history. */
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
      /** Wanted, but the root of the run does not have them either. */
      readonly refused: readonly string[];
    };

export interface SessionEventRecord {
  readonly kind: 'session.event';
  /** Delegation id of the agent that wrote it; `root` for the root. */
  readonly writer: string;
  readonly turn: number;
  readonly type: string;
  readonly value: Json;
  readonly status: EventStatus;
  /** Version of the session that it made, where that is on record. */
  readonly version?: number;
  /** Why it was not applied. */
  readonly reason?: string;
}

export type SessionLogEvent =
  | SessionEventRecord
  /** A host took nothing of a request. */
  | { readonly kind: 'session.refused'; readonly writer: string; readonly turn: number; readonly reason: string }
  /** An agent's session is in the hands of a host for a while. */
  | { readonly kind: 'session.shared' | 'session.returned' | 'session.lost'; readonly host: string };

interface OfDelegation {
  readonly delegationId: string;
  /** Workflow id of the child. */
  readonly child: string;
}

export type DelegationEvent =
  | (OfDelegation & {
      readonly kind: 'delegation.started' | 'delegation.adopted';
      readonly tool: string | null;
      readonly headline: string;
    })
  | {
      readonly kind: 'delegation.refused';
      readonly delegationId: string;
      readonly tool: string;
      readonly reason: string;
    }
  | (OfDelegation & {
      readonly kind: 'delegation.completed';
      /** Its own and its delegations' together. */
      readonly usage: Usage;
      /** Names that the child gave them. */
      readonly artifacts: readonly string[];
      /** Names of artifacts that were expected of it, and that it did not leave. */
      readonly missingArtifacts: readonly string[];
    })
  | (OfDelegation & { readonly kind: 'delegation.failed'; readonly failure: Failure })
  | (OfDelegation & { readonly kind: 'delegation.cancelled' | 'delegation.terminated' | 'delegation.timedOut' });
