import type { StopReason, Usage } from '../../domain/model';

/** A text of a conversation. A long one is given by its beginning; the whole is in the store, by its hash. */
export interface ConversationText {
  readonly text: string;
  /** Set when `text` is only the beginning: size and SHA-256 of the whole, which is UTF-8. */
  readonly whole?: { readonly bytes: number; readonly hash: string };
}

/** A tool call of a turn. */
export interface ConversationCall {
  readonly callId: string;
  readonly tool: string;
  /** The arguments as JSON, exactly as the model sent them. */
  readonly arguments: ConversationText;
  /** Null while the call has no result. */
  readonly result: (ConversationText & { readonly isError: boolean }) | null;
  /** When it began, ISO 8601; null when unknown. */
  readonly startedAt: string | null;
  /** Null while it runs, or when unknown. */
  readonly tookMs: number | null;
  /** Delegation ids of the agents that the call started, in the order of the call; omitted when there are none. */
  readonly delegations?: readonly string[];
}

/** One turn: a reply of the model, and its tool calls with their results. */
export interface ConversationTurn {
  readonly kind: 'turn';
  /** Position among the entries of the agent, from 0. It never changes, also while the agent continues. */
  readonly position: number;
  /** Number of the turn, from 1. Turns are counted through handoffs. */
  readonly turn: number;
  /** Set for turns that a reset took back: 1 for the oldest version of the turn. */
  readonly replaced?: number;
  /** When the model was called, ISO 8601; null when unknown. */
  readonly startedAt: string | null;
  /** When the reply was recorded, ISO 8601; null when unknown. */
  readonly at: string | null;
  /** Time that the model took, without its tools. */
  readonly tookMs: number | null;
  /** Number of attempts at the turn; null when unknown, as for runs that the server has forgotten. */
  readonly attempts: number | null;
  readonly model: string;
  readonly stopReason: StopReason;
  readonly usage: Usage;
  /** Cost in millionths of a US dollar; null when the model has no known price. */
  readonly microUsd: number | null;
  readonly thinking: readonly ConversationText[];
  readonly text: readonly ConversationText[];
  readonly calls: readonly ConversationCall[];
}

/** A text that the model received besides tool results. */
export interface ConversationMessage {
  readonly kind: 'message';
  readonly position: number;
  /** `opening` is the first message of a conversation: the goal, or the handoff that it continues from. */
  readonly from: 'opening' | 'engine' | 'operator';
  readonly at: string | null;
  readonly text: ConversationText;
}

/** Something that happened between turns. */
export interface ConversationMark {
  readonly kind: 'handoff' | 'reset' | 'model' | 'tools' | 'decision';
  readonly position: number;
  readonly at: string | null;
  /** What happened, in one sentence. */
  readonly text: string;
}

/** One entry of an agent's conversation, in the order in which the model saw them. */
export type ConversationEntry = ConversationTurn | ConversationMessage | ConversationMark;

/** A part of an agent's conversation. */
export interface ConversationPage {
  /** Workflow id of the agent. */
  readonly agent: string;
  /** The system prompt that the first turn of the page was sent with. */
  readonly prompt: { readonly hash: string; readonly bytes: number } | null;
  readonly entries: readonly ConversationEntry[];
  /** Number of all entries that are known now. */
  readonly total: number;
  /** What the model says at this moment; null when it is not speaking or nobody knows. */
  readonly speaking: PartialReply | null;
}

/** The part of a reply that has arrived so far. It is a picture, not a record: it may be lost, and may start again. */
export interface PartialReply {
  readonly turn: number;
  /** Number of the attempt, from 1. A later attempt starts again. */
  readonly attempt: number;
  readonly startedAt: string;
  readonly thinking: string;
  readonly text: string;
  /** Names of the tools that it has begun to call. */
  readonly calling: readonly string[];
}
