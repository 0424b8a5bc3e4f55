import { formatCount, formatShare, formatTokens, oneLine, plural } from '../../client/format';
import { formatIncident } from '../../client/operator/decide';
import type { StatusSnapshot } from '../../domain/agent';
import type { Allowance } from '../../domain/budget';
import { formatUsd } from '../../domain/model';

/**
 * Formats a status snapshot as rows of a label and a value. Rows without a value are omitted. A run that was stopped from
 * outside still reports what it was doing then, so what it waits for is shown only while it runs.
 */
export function progressRows(snapshot: StatusSnapshot, isRunning: boolean): string[][] {
  const { status, waitingFor, model, turn, maxTurns, usage, occupancy, window, skill, parkedBelow } = snapshot;
  return [
    ...(isRunning ? [['progress', waitingFor === '' ? status : `${status}: ${waitingFor}`]] : []),
    ...(skill === null ? [] : [['skill', skill]]),
    ['model', model],
    ...commandRows(snapshot),
    ['turns', `${turn} of ${maxTurns}`],
    ['tokens', formatTokens(usage)],
    ...delegatedRows(snapshot),
    ...costRows(snapshot),
    ['window', formatShare(occupancy, window)],
    ...contextRows(snapshot),
    ...handoffRows(snapshot),
    ...(isRunning ? incidentRows(snapshot) : []),
    ...(parkedBelow === 0 || !isRunning ? [] : [['below', `${plural(parkedBelow, 'agent')} waiting for an operator`]]),
    ...decisionRows(snapshot),
  ];
}

function commandRows({ commands }: StatusSnapshot): string[][] {
  if (commands === undefined) return [];
  const { network = false, env = [], safeToRepeat = [] } = commands;
  const details = [
    network ? 'with network' : 'without network',
    ...(env.length === 0 ? [] : [`variables ${env.join(', ')}`]),
    ...(safeToRepeat.length === 0 ? [] : [`safe to repeat: ${safeToRepeat.join(', ')}`]),
  ];
  return [['commands', oneLine(`granted, ${details.join('; ')}`, 300)]];
}

function delegatedRows({ delegations, delegatedUsage }: StatusSnapshot): string[][] {
  return delegations === 0
    ? []
    : [['delegated', `${plural(delegations, 'delegation')}; tokens ${formatTokens(delegatedUsage)}`]];
}

function costRows({ spent, budget }: StatusSnapshot): string[][] {
  const allowed = formatAllowance(budget ?? {});
  return [
    ...(spent.microUsd === 0 ? [] : [['cost', formatUsd(spent.microUsd)]]),
    ...(allowed === '' ? [] : [['budget', allowed]]),
  ];
}

function formatAllowance({ tokens, microUsd, turns }: Allowance): string {
  return [
    ...(tokens === undefined ? [] : [plural(tokens, 'token')]),
    ...(microUsd === undefined ? [] : [formatUsd(microUsd)]),
    ...(turns === undefined ? [] : [plural(turns, 'turn')]),
  ].join(', ');
}

function contextRows({ injectedTokens, activeTokens }: StatusSnapshot): string[][] {
  if (injectedTokens === 0 && activeTokens === 0) return [];
  return [
    ['context', `about ${formatCount(injectedTokens)} tokens injected, ${formatCount(activeTokens)} read with tools`],
  ];
}

function handoffRows({ handoffs }: StatusSnapshot): string[][] {
  return handoffs.map(({ number, artifact, discardedTokens, artifactTokens, afterCall }) => [
    `handoff ${number}`,
    `after call ${afterCall}: ${formatCount(discardedTokens)} tokens replaced by ${formatCount(artifactTokens)} in ${artifact}${ratio(discardedTokens, artifactTokens)}`,
  ]);
}

/** Formats how many tokens of conversation each token of the handoff artifact replaces. */
export function ratio(discarded: number, artifact: number): string {
  return artifact === 0 ? '' : ` (${(discarded / artifact).toFixed(1)} : 1)`;
}

function incidentRows({ incidents }: StatusSnapshot): string[][] {
  return incidents.map((incident) => ['incident', `${formatIncident(incident)}, since ${incident.since}`]);
}

function decisionRows({ decisions }: StatusSnapshot): string[][] {
  return decisions.map(({ incident, action, by, note, at }) => [
    'decision',
    oneLine(`${action} ${incident} by ${by} at ${at}${note === '' ? '' : `: ${note}`}`, 300),
  ]);
}
