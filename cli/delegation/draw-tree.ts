import {
  type AgentDetails,
  type AgentStatus,
  countAgents,
  nodeStatus,
  type TreeNode,
} from '../../client/delegation/tree-node';
import { formatCompact, headline, oneLine, plural } from '../../client/format';
import { agentLabel } from '../../domain/kernel';
import { type FallbackRecord, formatUsd, totalTokens } from '../../domain/model';
import { relayWorkflowContract } from '../../domain/relay';

type Details = ReadonlyMap<string, AgentDetails>;

const marks: Readonly<Record<AgentStatus, string>> = {
  running: '●',
  'needs operator': '!',
  paused: '‖',
  completed: '✓',
  failed: '✗',
  cancelled: '-',
  terminated: '✗',
  'timed out': '✗',
  unknown: '?',
};
const maxWidth = 200;

/** Draws an indented tree with one line per agent. */
export function drawTree(shown: TreeRow, details: Details): string {
  return [line(shown, details), ...branches(shown, details, '')].join('\n');
}

function branches(shown: TreeRow, details: Details, indent: string): string[] {
  if (shown.kind === 'more') return [];
  return shown.below.flatMap((child, index) => {
    const isLast = index === shown.below.length - 1;
    return [
      `${indent}${isLast ? '└─ ' : '├─ '}${line(child, details)}`,
      ...branches(child, details, `${indent}${isLast ? '   ' : '│  '}`),
    ];
  });
}

function line(shown: TreeRow, details: Details): string {
  if (shown.kind === 'agent') return agentLine(shown.node, details.get(shown.node.execution.workflowId));
  const within = shown.agents === shown.children ? '' : ` (${plural(shown.agents, 'agent')})`;
  return `${marks[shown.status]} … ${shown.children} more ${shown.status}${within}`;
}

/** Formats one agent. Also used for logs, which print only the lines that changed. */
export function agentLine({ execution }: TreeNode, details: AgentDetails | undefined): string {
  const status = nodeStatus(execution, details?.snapshot);
  const { workflowId, skill, type } = execution;
  const name = `${agentLabel(workflowId)}${type === relayWorkflowContract.name ? ' (relay)' : ''}`;
  const role = details?.snapshot?.skill ?? skill;
  const facts = [status, ...(role === null ? [] : [oneLine(role, 40)]), ...factsOf(status, details)];
  const summary = details === undefined || details.summary === '' ? '' : `  ${oneLine(details.summary, 60)}`;
  return headline(`${marks[status]} ${name}  ${facts.join(' · ')}${summary}`, maxWidth);
}

function factsOf(status: AgentStatus, details: AgentDetails | undefined): string[] {
  if (details === undefined) return [];
  const { snapshot, importing, usage, turns, microUsd, failure } = details;
  if (importing !== null) return [importing];
  if (snapshot === null) {
    if (status === 'running' || status === 'needs operator') return ['progress unknown: no worker answered'];
    return [
      ...replaced(details.fallbacks),
      ...(turns === null ? [] : [plural(turns, 'turn')]),
      ...(usage === null ? [] : [`${formatCompact(totalTokens(usage))} tokens`]),
      // A cost of 0 means that no price is known.
      ...(microUsd === null || microUsd === 0 ? [] : [formatUsd(microUsd)]),
      ...(failure === null ? [] : [`${failure.type}: ${oneLine(failure.message, 80)}`]),
    ];
  }
  const { turn, occupancy, window, spent, incidents, parkedBelow } = snapshot;
  const [incident] = incidents;
  return [
    `turn ${turn}`,
    ...replaced(snapshot.fallbacks),
    `window ${formatCompact(occupancy)}/${formatCompact(window)} (${Math.round((occupancy / window) * 100)} %)`,
    `${formatCompact(totalTokens(snapshot.usage))} tokens`,
    ...(spent.microUsd === 0 ? [] : [formatUsd(spent.microUsd)]),
    ...(incident === undefined
      ? waiting(snapshot)
      : [`${incident.id} ${incident.type}: ${oneLine(incident.message, 80)}`]),
    ...(parkedBelow === 0 ? [] : [`${parkedBelow} below waiting for an operator`]),
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
  | { readonly kind: 'more'; readonly status: AgentStatus; readonly agents: number; readonly children: number };

/** Maximum children shown per status: `quietLimit` for completed and cancelled ones, `limit` for all others. */
const quietLimit = 5;
const limit = 20;
const quiet: readonly AgentStatus[] = ['completed', 'cancelled'];

/** Collapses a wide tree: further children with the same status become one row, after those that are shown. */
export function collapseTree(node: TreeNode, all = false): TreeRow {
  if (all) return { kind: 'agent', node, below: node.children.map((child) => collapseTree(child, true)) };
  const shown: TreeRow[] = [];
  const hidden = new Map<AgentStatus, TreeNode[]>();
  const byStatus = new Map<AgentStatus, TreeNode[]>();
  for (const child of node.children) {
    const status = nodeStatus(child.execution);
    byStatus.set(status, [...(byStatus.get(status) ?? []), child]);
  }
  for (const child of node.children) {
    const status = nodeStatus(child.execution);
    if (isHidden(child, status, byStatus.get(status) ?? [])) hidden.set(status, [...(hidden.get(status) ?? []), child]);
    else shown.push(collapseTree(child));
  }
  for (const [status, nodes] of hidden) shown.push(more(status, nodes));
  return { kind: 'agent', node, below: shown };
}

function isHidden(node: TreeNode, status: AgentStatus, similar: readonly TreeNode[]): boolean {
  if (quiet.includes(status)) return similar.length > quietLimit;
  return similar.length > limit && similar.indexOf(node) >= limit;
}

function more(status: AgentStatus, nodes: readonly TreeNode[]): TreeRow {
  const agents = nodes.reduce((sum, node) => sum + countAgents(node), 0);
  return { kind: 'more', status, agents, children: nodes.length };
}

/** Returns the agents that are shown. */
export function visibleNodes(shown: TreeRow): readonly TreeNode[] {
  return shown.kind === 'more' ? [] : [shown.node, ...shown.below.flatMap(visibleNodes)];
}
