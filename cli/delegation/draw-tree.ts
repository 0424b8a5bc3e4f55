import { formatSkipped } from '../../client/agent/ending';
import {
  type AgentDetails,
  type AgentStatus,
  countAgents,
  nodeStatus,
  type TreeNode,
} from '../../client/delegation/tree-node';
import { formatCompact, oneLine, plural } from '../../client/format';
import { figureTexts } from '../../client/spending/format-figures';
import { formatRelayStatus } from '../../domain/agent';
import { agentLabel } from '../../domain/kernel';
import type { FallbackRecord } from '../../domain/model';
import { relayWorkflowContract } from '../../domain/relay';
import { cutLine, type Line, plainLine, type Span, type Style } from '../screen/style';
import { displayWidth } from '../screen/width';

type Details = ReadonlyMap<string, AgentDetails>;

const marks: Readonly<Record<AgentStatus, string>> = {
  running: '●',
  'needs operator': '!',
  paused: '‖',
  completed: '✓',
  skipped: '»',
  failed: '✗',
  cancelled: '-',
  terminated: '✗',
  'timed out': '✗',
  unknown: '?',
};
const styles: Readonly<Record<AgentStatus, Style>> = {
  running: 'active',
  'needs operator': 'attention',
  paused: 'attention',
  completed: 'good',
  skipped: 'quiet',
  failed: 'bad',
  cancelled: 'quiet',
  terminated: 'bad',
  'timed out': 'bad',
  unknown: 'quiet',
};
const maxWidth = 200;

/** A line of a drawn tree, and the status of its agent or agents. */
export interface TreeLine {
  readonly line: Line;
  readonly status: AgentStatus;
}

/** Draws an indented tree with one line per agent. */
export function drawTree(shown: TreeRow, details: Details): string {
  return treeLines(shown, details)
    .map(({ line }) => plainLine(line))
    .join('\n');
}

/** Draws a tree for a screen with this many columns. Lines that would be longer lose what matters least. */
export function treeLines(shown: TreeRow, details: Details, columns = maxWidth): readonly TreeLine[] {
  return [rowLine(shown, details, '', columns), ...branches(shown, details, '', columns)];
}

function branches(shown: TreeRow, details: Details, indent: string, columns: number): TreeLine[] {
  if (shown.kind === 'more') return [];
  return shown.below.flatMap((child, index) => {
    const isLast = index === shown.below.length - 1;
    return [
      rowLine(child, details, `${indent}${isLast ? '└─ ' : '├─ '}`, columns),
      ...branches(child, details, `${indent}${isLast ? '   ' : '│  '}`, columns),
    ];
  });
}

function rowLine(shown: TreeRow, details: Details, indent: string, columns: number): TreeLine {
  if (shown.kind === 'agent') {
    const found = details.get(shown.node.execution.workflowId);
    const parts = agentParts(shown.node, found);
    return {
      line: fitParts([{ span: indent, rank: 0 }, ...parts], columns),
      status: nodeStatus(shown.node.execution, found),
    };
  }
  const { status, below } = shown;
  const worst = below ?? status;
  const what = below === undefined ? status : `${status}, ${below} below`;
  const within = shown.agents === shown.children ? '' : ` (${plural(shown.agents, 'agent')})`;
  const mark = { text: marks[worst], style: styles[worst] };
  return { line: cutLine([indent, mark, ` … ${shown.children} more ${what}${within}`], columns), status: worst };
}

/** Formats one agent. Also used for logs, which print only the lines that changed. */
export function agentLine(node: TreeNode, details: AgentDetails | undefined): string {
  return plainLine(fitParts(agentParts(node, details), maxWidth));
}

/** A part of a line. Of a line that is too long, those with the highest rank are left out first, and none of rank 0. */
interface Part {
  readonly span: Span;
  readonly rank: number;
}

const ranks = { always: 0, reason: 1, summary: 2, role: 3, figures: 4, window: 5 } as const;

/** Columns of a summary that stay before anything else is left out. It is the last part, so the line is cut there. */
const summaryColumns = 20;

function fitParts(parts: readonly Part[], columns: number): Line {
  let kept = parts;
  const widthOf = ({ span, rank }: Part): number =>
    Math.min(displayWidth(plainLine([span])), rank === ranks.summary ? summaryColumns : Infinity);
  const width = (): number => kept.reduce((sum, part) => sum + widthOf(part), 0);
  for (const rank of [ranks.window, ranks.figures, ranks.role])
    if (width() > columns) kept = kept.filter((part) => part.rank !== rank);
  const line = kept.map(({ span }) => span);
  return cutLine(line, columns);
}

function agentParts(node: TreeNode, details: AgentDetails | undefined): readonly Part[] {
  const status = nodeStatus(node.execution, details);
  const { workflowId, skill, type } = node.execution;
  const name = `${agentLabel(workflowId)}${type === relayWorkflowContract.name ? ' (relay)' : ''}`;
  const role = details?.snapshot?.skill ?? skill;
  const facts: Fact[] = [
    ...(role === null || role === nameIn(details?.summary) ? [] : [{ text: oneLine(role, 40), rank: ranks.role }]),
    ...factsOf(status, details),
  ];
  const summary = details === undefined || details.summary === '' ? '' : `  ${oneLine(details.summary, 60)}`;
  return [
    { span: { text: marks[status], style: styles[status] }, rank: 0 },
    { span: ` ${name}  `, rank: 0 },
    { span: { text: status, style: styles[status] }, rank: 0 },
    ...facts.map(({ text, rank }) => ({ span: ` · ${text}`, rank })),
    ...(summary === '' ? [] : [{ span: { text: summary, style: 'quiet' as const }, rank: ranks.summary }]),
  ];
}

/** Returns the name that a summary begins with: that of a skill, or of a prompt, without its namespace. */
function nameIn(summary = ''): string | undefined {
  return /^(?:[^:/]*\/)?([^:/]+): /.exec(summary)?.[1];
}

/** A fact about an agent, and how soon it is left out. */
interface Fact {
  readonly text: string;
  readonly rank: number;
}

function ranked(rank: number, texts: readonly string[]): Fact[] {
  return texts.map((text) => ({ text, rank }));
}

function factsOf(status: AgentStatus, details: AgentDetails | undefined): Fact[] {
  if (details === undefined) return [];
  const { snapshot, importing, failure, skipped, storeTrouble } = details;
  if (storeTrouble !== undefined) return ranked(ranks.reason, [storeTrouble]);
  if (importing !== null) return ranked(ranks.reason, [importing]);
  const hasFigures = details.figures.withDelegations.turns > 0;
  const figures = ranked(ranks.figures, hasFigures ? figureTexts(details.figures) : []);
  if (snapshot === null) {
    if (status === 'running' || status === 'needs operator')
      return [...figures, ...ranked(ranks.reason, ['progress unknown: no worker answered'])];
    return [
      ...ranked(ranks.role, replaced(details.fallbacks)),
      ...ranked(ranks.reason, skipped === null ? [] : [formatSkipped(skipped)]),
      ...figures,
      ...ranked(ranks.reason, failure === null ? [] : [`${failure.type}: ${oneLine(failure.message, 80)}`]),
    ];
  }
  const { occupancy, window, incidents, parkedBelow, relay } = snapshot;
  const [incident] = incidents;
  const share = `window ${formatCompact(occupancy)}/${formatCompact(window)} (${Math.round((occupancy / window) * 100)} %)`;
  const reason =
    incident === undefined ? waiting(snapshot) : [`${incident.id} ${incident.type}: ${oneLine(incident.message, 80)}`];
  return [
    ...ranked(ranks.role, replaced(snapshot.fallbacks)),
    ...(relay === undefined ? ranked(ranks.window, [share]) : ranked(ranks.reason, [formatRelayStatus(relay)])),
    ...figures,
    ...ranked(ranks.reason, reason),
    ...ranked(ranks.reason, parkedBelow === 0 ? [] : [`${parkedBelow} below waiting for an operator`]),
  ];
}

/** Names the model that took over, and the one that it replaced. */
function replaced(fallbacks: readonly FallbackRecord[] = []): string[] {
  const [first] = fallbacks;
  const last = fallbacks.at(-1);
  return first === undefined || last === undefined ? [] : [`${last.to} instead of ${first.from} (${last.type})`];
}

function waiting({ status, waitingFor }: NonNullable<AgentDetails['snapshot']>): string[] {
  return [waitingFor === '' ? status : `${status} (${oneLine(waitingFor, 60)})`];
}

/** One row of a drawn tree: an agent, or a number of children with the same status that are collapsed. */
export type TreeRow =
  | { readonly kind: 'agent'; readonly node: TreeNode; readonly below: readonly TreeRow[] }
  | {
      readonly kind: 'more';
      readonly status: AgentStatus;
      /** What is worse than that below each of them; undefined if nothing is. */
      readonly below: AgentStatus | undefined;
      readonly agents: number;
      readonly children: number;
    };

/** Maximum children shown per status: `quietLimit` for completed and cancelled ones, `limit` for all others. */
const quietLimit = 5;
const limit = 20;
const quiet: readonly AgentStatus[] = ['completed', 'cancelled'];

/** Statuses that are never hidden under a quieter one, worst first. */
const loud: readonly AgentStatus[] = ['needs operator', 'paused', 'failed', 'terminated', 'timed out', 'running'];

/**
 * Collapses a wide tree: further children with the same status become one row, after those that are shown. A child below
 * which something is worse, such as a failed agent below a completed one, counts as that.
 */
export function collapseTree(node: TreeNode, all = false): TreeRow {
  if (all) return { kind: 'agent', node, below: node.children.map((child) => collapseTree(child, true)) };
  const groups = new Map<string, TreeNode[]>();
  const groupOf = (child: TreeNode): string => `${nodeStatus(child.execution)}, ${worstStatus(child)}`;
  for (const child of node.children) {
    const similar = groups.get(groupOf(child));
    if (similar === undefined) groups.set(groupOf(child), [child]);
    else similar.push(child);
  }
  const hidden = new Set([...groups.values()].flatMap((similar) => hiddenOf(similar, isRelay(node))));
  const rest = [...groups.values()].map((similar) => similar.filter((child) => hidden.has(child)));
  const shown = node.children.filter((child) => !hidden.has(child)).map((child) => collapseTree(child));
  return { kind: 'agent', node, below: [...shown, ...rest.flatMap(more)] };
}

/** The status of an agent, or what is worse below it. */
function worstStatus(node: TreeNode): AgentStatus {
  const found = statusesIn(node);
  return loud.find((status) => found.has(status)) ?? nodeStatus(node.execution);
}

function statusesIn({ execution, children }: TreeNode): ReadonlySet<AgentStatus> {
  return new Set([nodeStatus(execution), ...children.flatMap((child) => [...statusesIn(child)])]);
}

/** The steps of a relay are what its tree is about. */
function isRelay({ execution: { type } }: TreeNode): boolean {
  return type === relayWorkflowContract.name;
}

/** Returns which of several similar children are not shown. */
function hiddenOf(similar: readonly TreeNode[], areSteps: boolean): readonly TreeNode[] {
  const isQuiet = similar.every((child) => quiet.includes(worstStatus(child)));
  if (isQuiet && !areSteps) return similar.length > quietLimit ? similar : [];
  return similar.slice(limit);
}

function more(nodes: readonly TreeNode[]): readonly TreeRow[] {
  const [first] = nodes;
  if (first === undefined) return [];
  const status = nodeStatus(first.execution);
  const worst = worstStatus(first);
  const agents = nodes.reduce((sum, node) => sum + countAgents(node), 0);
  return [{ kind: 'more', status, below: worst === status ? undefined : worst, agents, children: nodes.length }];
}

/** Returns the agents that are shown. */
export function visibleNodes(shown: TreeRow): readonly TreeNode[] {
  return shown.kind === 'more' ? [] : [shown.node, ...shown.below.flatMap(visibleNodes)];
}
