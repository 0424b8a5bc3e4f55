import type { Figures } from '../../domain/budget';
import type { Incident } from '../../domain/operator';

/** State of an agent or run in the words of the page. The exact word, such as `timed out`, is in `detail`. */
export type ViewState =
  | 'needs you'
  | 'failed'
  | 'paused'
  | 'running'
  | 'waiting'
  | 'queued'
  | 'completed'
  | 'skipped'
  | 'cancelled'
  | 'unknown';

export type { Figures };

/** Why an agent failed. */
export interface ViewFailure {
  readonly type: string;
  readonly message: string;
  /** What to do about it. Omitted if the message says it, or nothing is known. */
  readonly remedy?: string;
  /** The command that continues the agent. Omitted if there is none. */
  readonly command?: string;
}

/** One run in a list. Times are milliseconds since 1970, of the run over all its executions. */
export interface RunRow {
  readonly runId: string;
  readonly goal: string;
  /** The goal, after the name of the root's prompt, skill or relay if it has one. */
  readonly title: string;
  readonly model: string | null;
  readonly state: ViewState;
  /** Words after the state, such as `Budget.Exceeded`, `thinking`, `step 3 of 4`; empty when there are none. */
  readonly detail: string;
  /** Number of agents by state, the root included; null when not counted. */
  readonly agents: Readonly<Partial<Record<ViewState, number>>> | null;
  /** Figures of the run with all its delegations; null when unknown. */
  readonly figures: Figures | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** Number of open incidents in the run, and the time of the oldest; null when there is none. */
  readonly waiting: { readonly incidents: number; readonly since: number } | null;
}

/** A period in which an agent did something. */
export interface ViewSegment {
  readonly kind: 'model' | 'tool' | 'wait';
  readonly from: number;
  /** Null while it lasts. */
  readonly to: number | null;
  readonly turn: number | null;
  /** `thinking`, the name of a tool, or what it waits for. */
  readonly label: string;
  readonly isError: boolean;
}

/** One agent of a run. Rows are small, because a run may have thousands of them: texts are asked for one by one. */
export interface AgentRow {
  /** Delegation ids from the root, joined by `/`; empty for the root. It identifies the agent within the run. */
  readonly path: string;
  /** Path of the parent; null for the root. */
  readonly parent: string | null;
  /** What it was asked to do, in one line. */
  readonly headline: string;
  /** Name of its skill, relay step or prompt; null when it has none. */
  readonly role: string | null;
  readonly model: string | null;
  readonly state: ViewState;
  readonly detail: string;
  readonly failure: ViewFailure | null;
  /** Current or last turn; 0 before the first. */
  readonly turn: number;
  readonly maxTurns: number | null;
  /** Without its delegations. */
  readonly own: Figures;
  /** With all its delegations. */
  readonly withDelegations: Figures;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** The tool call that started it: the same for all agents of a batch. Null for the root and for steps of a relay. */
  readonly batch: {
    readonly callId: string;
    readonly turn: number;
    readonly index: number;
    readonly size: number;
  } | null;
  readonly segments: readonly ViewSegment[];
  /** Segments of executions that a reset replaced; omitted when there are none. */
  readonly replaced?: readonly ViewSegment[];
}

/**
 * A new agent, or changed fields of one. Segments are added to those that are known; each replaces the known one of its
 * kind that began at the same time, or else the one that is open (`to` is null). If `replaced` is present, `segments` has
 * all segments instead.
 */
export type AgentChange = { readonly path: string } & Partial<Omit<AgentRow, 'path'>>;

/** An open incident, with the agent that has it. */
export interface ViewIncident extends Incident {
  readonly path: string;
  /** All arguments of a call, for `kind: 'approval'`; the incident itself may only have a reference to them. */
  readonly argumentsText?: string;
  /** How many other agents of the run wait for the same failure type. */
  readonly alike: number;
}

/** The steps of a relay. */
export interface RelayView {
  readonly name: string;
  readonly steps: readonly {
    readonly id: string;
    readonly state: ViewState;
    /** Agents of the step by state; for a step with items, one per item. */
    readonly agents: readonly string[];
    readonly items: { readonly done: number; readonly of: number } | null;
    readonly round: number;
    readonly outputs: readonly string[];
  }[];
}

/** A run with all its agents, parents before children. */
export interface RunView {
  readonly run: RunRow;
  readonly agents: readonly AgentRow[];
  readonly incidents: readonly ViewIncident[];
  readonly relay: RelayView | null;
  readonly budget: BudgetView;
  /** What could not be read, and why, one sentence each. */
  readonly gaps: readonly string[];
}

/** Limits of a run and what is used of them. A limit that is null does not exist. */
export interface BudgetView {
  readonly microUsd: { readonly limit: number | null; readonly held: number };
  readonly tokens: { readonly limit: number | null; readonly held: number };
  readonly turns: { readonly limit: number | null; readonly held: number };
  /** Milliseconds since 1970. */
  readonly deadline: number | null;
}

/** What has changed in a run. Omitted fields have not. */
export interface RunUpdate extends Partial<Omit<RunView, 'agents'>> {
  readonly rows: readonly AgentChange[];
  /** Paths of agents to which something has happened, also if their row looks the same. */
  readonly touched: readonly string[];
}

/** Receives a run: first everything, then what changes. */
export interface RunSink {
  begin(view: RunView): void;
  change(update: RunUpdate): void;
}
