import type { RunState } from '../../client/agent/list-runs';
import { formatAgo, formatCount, formatDuration, formatTime, oneLine, type TimeStyle } from '../../client/format';
import { rootTitle } from '../../domain/agent';
import { type Allowance, budgetTexts, costText, type Figures } from '../../domain/budget';
import { agentLabel } from '../../domain/kernel';
import { tableLines } from '../screen/layout';
import { cutLine, type Line, type Style } from '../screen/style';

/** A run in the list, as `--json` prints it. */
export interface ListedRun {
  readonly runId: string;
  readonly workflowId: string;
  /** Status of its latest execution, as the server names it. */
  readonly status: string;
  /** What it is doing, or how it ended. */
  readonly state: RunState;
  /** When its first execution started. */
  readonly startedAt: string;
  readonly closedAt: string | null;
  readonly goal: string | null;
  /** Namespace and key of its prompt, the name of its skill or of its relay; null when it has none of its own. */
  readonly prompt: string | null;
  readonly skill: string | null;
  readonly relay: string | null;
  /** Who waits for an operator, longest first. */
  readonly waiting: readonly {
    /** Workflow id of the agent. */
    readonly agent: string;
    readonly incident: string;
    readonly type: string;
    readonly since: string;
  }[];
  /** What its root agent itself consumed; null when it can't be read. */
  readonly own: Figures | null;
  /** What the run consumed with all its delegations; null when it can't be read. */
  readonly withDelegations: Figures | null;
  /** The budget that `withDelegations` counts against; null when there is none. */
  readonly budget: Allowance | null;
}

const styles: Readonly<Record<RunState, Style>> = {
  running: 'active',
  'needs operator': 'attention',
  paused: 'attention',
  completed: 'good',
  failed: 'bad',
  cancelled: 'quiet',
  terminated: 'bad',
  'timed out': 'bad',
  unknown: 'quiet',
};

const heading = ['RUN', 'STATE', 'STARTED', 'TOOK', 'COST', 'GOAL'].map((text) => ({ text, style: 'strong' as const }));

/**
 * Formats a list of runs: one line each. Below it, what is spent and left of its budget, if it has one, and who waits for a
 * person and what to type.
 */
export function listLines(runs: readonly ListedRun[], times: TimeStyle, columns: number | undefined): readonly Line[] {
  const [first, ...lines] = tableLines([heading, ...runs.map((run) => cellsOf(run, times))], columns);
  const rows = runs.flatMap((run, index) => {
    const below = [budgetLine(run), waitingLine(run, times)].filter((line) => line !== undefined);
    return [lines[index] ?? [], ...below.map((line) => (columns === undefined ? line : cutLine(line, columns)))];
  });
  return [first ?? [], ...rows];
}

function cellsOf(run: ListedRun, times: TimeStyle): Line {
  const { runId, state, startedAt, closedAt, goal, prompt, skill, relay, withDelegations } = run;
  const known = Object.entries({ goal, prompt, skill, relay }).filter(([, value]) => value !== null);
  const started = Date.parse(startedAt);
  const isOpen = state === 'running' || state === 'needs operator' || state === 'paused';
  const ended = closedAt === null ? (isOpen ? times.now : undefined) : Date.parse(closedAt);
  return [
    runId,
    { text: state === 'needs operator' ? 'needs you' : state, style: styles[state] },
    times.utc === true ? formatTime(started, times) : shortTime(started, times),
    ended === undefined ? '' : formatDuration(Math.max(0, ended - started)),
    withDelegations === null || withDelegations.turns === 0 ? '' : costText(withDelegations.microUsd),
    oneLine(rootTitle(Object.fromEntries(known)), 200),
  ];
}

const hourMs = 60 * 60 * 1_000;

/** A recent time is easier to understand as a distance, an older one as a date. */
function shortTime(at: number, times: TimeStyle): string {
  return times.now - at < hourMs ? formatAgo(at, times.now) : formatTime(at, times);
}

function budgetLine({ budget, withDelegations }: ListedRun): Line | undefined {
  if (budget === null || withDelegations === null) return undefined;
  const texts = budgetTexts(budget, withDelegations, formatCount);
  return texts.length === 0 ? undefined : [{ text: '  budget  ', style: 'quiet' }, texts.join('; ')];
}

function waitingLine({ runId, state, waiting }: ListedRun, times: TimeStyle): Line | undefined {
  if (state !== 'needs operator') return undefined;
  const [first] = waiting;
  const command = { text: `baton why ${runId}`, style: 'strong' as const };
  if (first === undefined) return ['  ! ', command];
  const { agent, type, since } = first;
  const others = waiting.length === 1 ? '' : ` and ${waiting.length - 1} more`;
  const when = times.utc === true ? `since ${since}` : formatAgo(Date.parse(since), times.now);
  return [{ text: '  ! ', style: 'attention' }, command, `  ${agentLabel(agent)}: ${type}, ${when}${others}`];
}
