import type { HandoffRecord } from '../../domain/agent';
import { addFigures, type Figures, noFigures } from '../../domain/budget';
import { type CacheReadShares, cacheReadShares, type FallbackRecord } from '../../domain/model';
import type { DecisionRecord, Incident } from '../../domain/operator';

/** The complete data of a report. The page is a function of this value alone. Times are milliseconds since 1970. */
export interface ReportModel {
  readonly runId: string;
  readonly goal: string;
  /** The goal, after the name of the root's prompt, skill or relay if it has one. */
  readonly title: string;
  readonly status: string;
  /** Time at which the report was created. */
  readonly madeAt: number;
  readonly startedAt: number;
  /** End of the run, or the time of this report while the run continues. */
  readonly endedAt: number;
  readonly answer: string | null;
  /** Parents before their children. The first agent is the root. */
  readonly agents: readonly ReportAgent[];
  readonly artifacts: readonly ReportArtifact[];
  /** Descriptions of what could not be read, and why. */
  readonly gaps: readonly string[];
}

/** One agent of the report. Turns, usage and cost are its own, without its delegations. */
export interface ReportAgent extends Figures {
  readonly workflowId: string;
  readonly parent: string | null;
  readonly depth: number;
  readonly headline: string;
  readonly model: string | null;
  readonly skill: string | null;
  readonly status: string;
  readonly failure: { readonly type: string; readonly message: string } | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** What it consumed together with everything below it. */
  readonly withDelegations: Figures;
  readonly segments: readonly TimelineSegment[];
  /** Number of calls by tool name. */
  readonly tools: Readonly<Record<string, number>>;
  readonly injectedTokens: number | null;
  readonly activeTokens: number | null;
  readonly prompt: ReportPrompt | null;
  readonly incidents: readonly Incident[];
  readonly decisions: readonly DecisionRecord[];
  readonly handoffs: readonly HandoffRecord[];
  /** Models that another one replaced, oldest first. */
  readonly fallbacks: readonly FallbackRecord[];
}

/** A period in which an agent was busy. */
export interface TimelineSegment {
  readonly kind: 'model' | 'tool';
  readonly from: number;
  readonly to: number;
  readonly label: string;
  readonly isError: boolean;
}

/** A prompt, divided into its own text and the parent's prompt that it embeds. */
export interface ReportPrompt {
  readonly hash: string;
  readonly bytes: number;
  readonly before: string;
  /**
   * The embedded prompt; null if there is none. `text` is null when the page already shows it as the parent's own
   * prompt.
   */
  readonly parent: { readonly text: string | null; readonly bytes: number } | null;
  readonly after: string;
}

/** One artifact of the report. */
export interface ReportArtifact {
  readonly name: string;
  readonly bytes: number;
  readonly mediaType: string;
  /** Null when the artifact is too large, not text, or not available. */
  readonly text: string | null;
  /** Reason for a missing text; otherwise empty. */
  readonly note: string;
}

/** Adds up the usage, turns and cost of several agents. */
export function totalsOf(agents: readonly ReportAgent[]): Figures {
  return agents.reduce<Figures>(addFigures, noFigures);
}

/** Computes, by workflow id, the shares of input tokens that were read from the provider's cache. */
export function cacheSharesOf(agents: readonly ReportAgent[]): ReadonlyMap<string, CacheReadShares> {
  return new Map(
    agents.map(({ workflowId, usage, withDelegations }) => [workflowId, cacheReadShares(usage, withDelegations.usage)]),
  );
}
