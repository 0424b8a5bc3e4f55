import type { Figures } from '../../domain/budget';
import { type ReportAgent, type ReportModel, totalsOf } from '../report/report-model';

/** Calls of a tool by all agents of a run, and how many of them failed. */
export interface ToolCount {
  readonly calls: number;
  /** Null when unknown: the store does not record it. */
  readonly errors: number | null;
}

/** What is compared of a run. */
export interface ComparedRun {
  readonly runId: string;
  readonly goal: string;
  readonly status: string;
  /** Why its root agent failed; null unless it did. */
  readonly failure: { readonly type: string; readonly message: string } | null;
  /** Models of its agents, each once, that of the root first. */
  readonly models: readonly string[];
  readonly agents: number;
  /** Time from its start to its end, or until now. */
  readonly tookMs: number;
  /** Spending of the root agent alone. */
  readonly own: Figures;
  /** Spending of the root agent and all agents below it. */
  readonly withDelegations: Figures;
  /** Calls by tool name. */
  readonly tools: Readonly<Record<string, ToolCount>>;
  readonly answer: string | null;
}

/** Two runs side by side. */
export interface Comparison {
  readonly a: ComparedRun;
  readonly b: ComparedRun;
  /** Whether both worked towards the same goal. */
  readonly isSameGoal: boolean;
  /** Whether both have an answer, and the same one. */
  readonly isSameAnswer: boolean;
}

/** Compares two runs by the data of their reports. */
export function compareRuns(a: ReportModel, b: ReportModel): Comparison {
  return {
    a: comparedRun(a),
    b: comparedRun(b),
    isSameGoal: a.title === b.title,
    isSameAnswer: a.answer !== null && a.answer === b.answer,
  };
}

function comparedRun({ runId, goal, title, status, agents, startedAt, endedAt, answer }: ReportModel): ComparedRun {
  const [root] = agents;
  return {
    runId,
    goal: goal === '' ? title : goal,
    status,
    failure: root?.failure ?? null,
    models: [...new Set(agents.flatMap(({ model }) => model ?? []))],
    agents: agents.length,
    tookMs: endedAt - startedAt,
    own: totalsOf(agents.slice(0, 1)),
    withDelegations: totalsOf(agents),
    tools: toolsOf(agents),
    answer,
  };
}

function toolsOf(agents: readonly ReportAgent[]): Record<string, ToolCount> {
  const tools: Record<string, ToolCount> = {};
  for (const agent of agents) {
    const ran = agent.segments.filter(({ kind }) => kind === 'tool');
    for (const [name, calls] of Object.entries(agent.tools)) {
      const before = tools[name] ?? { calls: 0, errors: 0 };
      const isKnown = agent.segments.length > 0 && before.errors !== null;
      const errors = ran.filter(({ label, isError }) => label === name && isError).length;
      tools[name] = { calls: before.calls + calls, errors: isKnown ? before.errors + errors : null };
    }
  }
  return tools;
}
