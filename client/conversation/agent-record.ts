import type { ToolCallBlock } from '../../domain/model';
import type { BlobRef, SpilledText } from '../../domain/store';
import type { KnownLink } from './chain-links';

/** When a turn was taken. What is not known is null. */
export interface TurnRecord {
  readonly startedAt: string | null;
  readonly at: string | null;
  readonly tookMs: number | null;
  readonly attempts: number | null;
}

/** Times, result and delegations of a tool call, as far as the transcript does not have them. */
export interface CallRecord {
  readonly startedAt: string | null;
  readonly tookMs: number | null;
  /** Its result, if the model has not been sent it yet; undefined when unknown. */
  readonly result?: { readonly content: SpilledText; readonly isError: boolean } | undefined;
  readonly delegations: readonly string[];
}

/** Something that happened to an agent, in the order in which it happened. */
export type RecordedStep =
  | { readonly kind: 'turn'; readonly head: BlobRef }
  | { readonly kind: 'reset' | 'decision'; readonly at: string | null; readonly text: string };

/** What is known about an agent besides its transcript: from its history, or from the journal of the run. */
export interface AgentRecord {
  /** Head of the newest transcript that is known; undefined before the first turn. */
  readonly head: BlobRef | undefined;
  /** Different whenever something was added. */
  readonly version: number;
  /** When the agent started, ISO 8601. */
  readonly startedAt: string | null;
  /** Whether nothing more will happen. */
  readonly hasEnded: boolean;
  /** Description of each handoff, oldest first. */
  readonly handoffs: readonly { readonly at: string | null; readonly text: string }[];
  /** Returns what happened, in order. `chain` is the whole transcript of the agent. */
  steps(chain: readonly KnownLink[]): readonly RecordedStep[];
  /** Returns what is known about the turn that a link ends with. */
  turn(link: KnownLink): TurnRecord | undefined;
  /** Returns what is known about a call of that turn. */
  call(link: KnownLink, call: ToolCallBlock): Promise<CallRecord | undefined>;
}

/** Nothing is known about a turn. */
export const unknownTurn: TurnRecord = { startedAt: null, at: null, tookMs: null, attempts: null };
