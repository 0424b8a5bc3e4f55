import type { Usage } from '../../domain/model/usage';
import type { DecisionRecord, Incident } from '../../domain/operator/incident';
import type { HandoffRecord } from '../../domain/handoff/record';

/** Everything on the page, and nothing else: the page is a function of this. Times are milliseconds since 1970. */
export interface ReportModel {
  readonly runId: string;
  readonly goal: string;
  readonly status: string;
  readonly madeAt: number;
  readonly startedAt: number;
  /** Of the run, or of this report while it goes on. */
  readonly endedAt: number;
  readonly answer: string | null;
  /** Parents before their children; the first is the root. */
  readonly agents: readonly ReportAgent[];
  readonly artifacts: readonly ReportArtifact[];
  /** What could not be learnt, and why. */
  readonly gaps: readonly string[];
}

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
  readonly segments: readonly Segment[];
  readonly tools: Readonly<Record<string, number>>;
  /** Null: nobody could tell. */
  readonly microUsd: number | null;
  readonly injectedTokens: number | null;
  readonly activeTokens: number | null;
  readonly prompt: ReportPrompt | null;
  readonly incidents: readonly Incident[];
  readonly decisions: readonly DecisionRecord[];
  readonly handoffs: readonly HandoffRecord[];
}

/** A stretch of an agent's time. */
export interface Segment {
  readonly kind: 'model' | 'tool';
  readonly from: number;
  readonly to: number;
  readonly label: string;
  readonly isError: boolean;
}

/** A prompt, with the parent's prompt that it embeds apart. */
export interface ReportPrompt {
  readonly hash: string;
  readonly bytes: number;
  readonly before: string;
  /** Null text: left out, because the parent's own prompt stands on the same page. */
  readonly parent: { readonly text: string | null; readonly bytes: number } | null;
  readonly after: string;
}

export interface ReportArtifact {
  readonly name: string;
  readonly bytes: number;
  readonly mediaType: string;
  /** Null: too large, or not text, or not to be had. */
  readonly text: string | null;
  readonly note: string;
}
