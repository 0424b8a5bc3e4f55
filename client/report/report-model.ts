import type { HandoffRecord } from '../../domain/agent';
import {
  addUsage,
  type CacheReadShares,
  cacheReadShares,
  type FallbackRecord,
  noUsage,
  type Usage,
} from '../../domain/model';
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

/** One agent of the report. */
export interface ReportAgent {
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
  readonly turns: number;
  readonly usage: Usage;
  readonly segments: readonly TimelineSegment[];
  /** Number of calls by tool name. */
  readonly tools: Readonly<Record<string, number>>;
  /** Cost in millionths of a US dollar; null when unknown. */
  readonly microUsd: number | null;
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

/** Sums over several agents. */
export interface Totals {
  readonly usage: Usage;
  readonly turns: number;
  /** Cost in millionths of a US dollar; null when the cost of no agent is known. */
  readonly microUsd: number | null;
}

/** Adds up the usage, turns and cost of several agents. */
export function totalsOf(agents: readonly ReportAgent[]): Totals {
  const costs = agents.flatMap(({ microUsd }) => microUsd ?? []);
  return {
    usage: agents.reduce((sum, { usage }) => addUsage(sum, usage), noUsage),
    turns: agents.reduce((sum, { turns }) => sum + turns, 0),
    microUsd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
  };
}

/** Computes, by workflow id, the shares of input tokens that were read from the provider's cache. */
export function cacheSharesOf(agents: readonly ReportAgent[]): ReadonlyMap<string, CacheReadShares> {
  const totals = new Map(agents.map(({ workflowId, usage }) => [workflowId, usage]));
  // Children come after their parents, so each total is complete when it is added to that of the parent.
  for (const { workflowId, parent } of [...agents].reverse()) {
    const above = parent === null ? undefined : totals.get(parent);
    if (parent !== null && above !== undefined) totals.set(parent, addUsage(above, totals.get(workflowId) ?? noUsage));
  }
  const shares = agents.map(
    ({ workflowId, usage }) => [workflowId, cacheReadShares(usage, totals.get(workflowId) ?? null)] as const,
  );
  return new Map(shares);
}
