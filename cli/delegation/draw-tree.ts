import { totalTokens } from '../../domain/model/usage';
import { agentLabel } from '../../domain/kernel/agent-id';
import { formatCompact, oneLine, formatUsd } from '../../client/words';
import { headline, plural } from '../../client/format';
import type { TreeRow } from './fold';
import { nodeStatus, type AgentDetails, type AgentStatus, type TreeNode } from '../../client/delegation/tree-node';

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
  const name = `${agentLabel(workflowId)}${type === 'relayWorkflow' ? ' (relay)' : ''}`;
  const role = details?.snapshot?.skill ?? skill;
  const facts = [status, ...(role === null ? [] : [oneLine(role, 40)]), ...factsOf(status, details)];
  const summary = details === undefined || details.summary === '' ? '' : `  ${oneLine(details.summary, 60)}`;
  return headline(`${marks[status]} ${name}  ${facts.join(' · ')}${summary}`, maxWidth);
}

function factsOf(status: AgentStatus, details: AgentDetails | undefined): string[] {
  if (details === undefined) return [];
  const { snapshot, usage, turns, microUsd, failure } = details;
  if (snapshot === null) {
    if (status === 'running' || status === 'needs operator') return ['progress unknown: no worker answered'];
    return [
      ...(turns === null ? [] : [plural(turns, 'turn')]),
      ...(usage === null ? [] : [`${formatCompact(totalTokens(usage))} tokens`]),
      ...(microUsd === null ? [] : [formatUsd(microUsd)]),
      ...(failure === null ? [] : [`${failure.type}: ${oneLine(failure.message, 80)}`]),
    ];
  }
  const { turn, occupancy, window, spent, incidents, parkedBelow } = snapshot;
  const [incident] = incidents;
  return [
    `turn ${turn}`,
    `window ${formatCompact(occupancy)}/${formatCompact(window)} (${Math.round((occupancy / window) * 100)} %)`,
    `${formatCompact(totalTokens(snapshot.usage))} tokens`,
    ...(spent.microUsd === 0 ? [] : [formatUsd(spent.microUsd)]),
    ...(incident === undefined
      ? waiting(snapshot)
      : [`${incident.id} ${incident.type}: ${oneLine(incident.message, 80)}`]),
    ...(parkedBelow === 0 ? [] : [`${parkedBelow} below waiting for an operator`]),
  ];
}

function waiting({ status, waitingFor }: NonNullable<AgentDetails['snapshot']>): string[] {
  return [waitingFor === '' ? status : `${status} (${oneLine(waitingFor, 60)})`];
}
