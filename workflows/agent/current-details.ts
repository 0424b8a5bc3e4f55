import { workflowInfo } from '@temporalio/workflow';
import type { StatusSnapshot } from '../../domain/agent';
import { formatUsd, totalTokens } from '../../domain/model';
import { actionsFor, type Incident } from '../../domain/operator';

/** Formats an agent's status as Markdown, for the Web UI. */
export function currentDetails(snapshot: StatusSnapshot): string {
  const { status, waitingFor, turn, maxTurns, occupancy, window, usage, transcript, incidents } = snapshot;
  const share = Math.round((occupancy / window) * 100);
  return [
    ...incidents.flatMap(incidentLines),
    `**${status}**${waitingFor === '' ? '' : `: ${waitingFor}`}`,
    '',
    ...(snapshot.parkedBelow === 0 ? [] : [`- **waiting for an operator below: ${snapshot.parkedBelow}**`]),
    `- turn ${turn} of ${maxTurns}`,
    `- context window: ${occupancy} of ${window} tokens (${share} %)`,
    `- spent: ${totalTokens(usage)} tokens${cost(snapshot.spent.microUsd)}`,
    ...delegationLines(snapshot),
    ...(snapshot.handoffs.length === 0 ? [] : [`- handoffs: ${snapshot.handoffs.length}`]),
    ...(transcript === null ? [] : [`- transcript: \`${transcript.hash.slice(0, 12)}\``]),
  ].join('\n');
}

function cost(microUsd: number): string {
  return microUsd === 0 ? '' : ` (${formatUsd(microUsd)})`;
}

function delegationLines({ delegations, delegatedUsage }: StatusSnapshot): string[] {
  if (delegations === 0) return [];
  return [`- delegations: ${delegations}, which spent ${totalTokens(delegatedUsage)} tokens`];
}

/** Describes an incident, and how to answer it in the Web UI or on the command line. */
function incidentLines(incident: Incident): string[] {
  const { id, type, message, since, attempt, step } = incident;
  const { workflowId } = workflowInfo();
  const actions = actionsFor(incident);
  return [
    `### Needs an operator: ${type}`,
    '',
    message,
    '',
    `- incident \`${id}\`, ${step}, attempt ${attempt}, since ${since}`,
    `- here: *More Actions*, *Send an Update*, \`operatorDecision\` with \`{"incident":"${id}","action":"${actions[0] ?? ''}"}\``,
    ...actions.map((action) => `- \`baton ${action} ${workflowId} --incident ${id}${optionOf(action)}\``),
    '',
  ];
}

function optionOf(action: string): string {
  if (action === 'skip') return ' --result "…"';
  return action === 'amend' ? ' --instructions "…"' : '';
}
