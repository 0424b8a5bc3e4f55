import type { Allowance } from '../../domain/budget/allowance';
import type { RunSnapshot } from '../../domain/agent/result';
import { oneLine, usd } from '../../client/words';
import { count, plural, share, tokens } from '../../client/format';
import { incidentWords } from '../../client/operator/incidents';

/** Formats a status snapshot as rows of a label and a value. Rows without a value are omitted. */
export function progressRows(snapshot: RunSnapshot): string[][] {
  const { status, waitingFor, model, turn, maxTurns, usage, occupancy, window, skill, parkedBelow } = snapshot;
  return [
    ['progress', waitingFor === '' ? status : `${status}: ${waitingFor}`],
    ...(skill === null ? [] : [['skill', skill]]),
    ['model', model],
    ['turns', `${turn} of ${maxTurns}`],
    ['tokens', tokens(usage)],
    ...delegatedRows(snapshot),
    ...costRows(snapshot),
    ['window', share(occupancy, window)],
    ...contextRows(snapshot),
    ...handoffRows(snapshot),
    ...incidentRows(snapshot),
    ...(parkedBelow === 0 ? [] : [['below', `${plural(parkedBelow, 'agent')} waiting for an operator`]]),
    ...decisionRows(snapshot),
  ];
}

function delegatedRows({ delegations, delegatedUsage }: RunSnapshot): string[][] {
  return delegations === 0
    ? []
    : [['delegated', `${plural(delegations, 'delegation')}; tokens ${tokens(delegatedUsage)}`]];
}

function costRows({ spent, budget }: RunSnapshot): string[][] {
  return [
    ...(spent.microUsd === 0 ? [] : [['cost', usd(spent.microUsd)]]),
    ...(budget === null ? [] : [['budget', allowance(budget)]]),
  ];
}

function allowance({ tokens: allowed, microUsd, turns }: Allowance): string {
  return [
    ...(allowed === undefined ? [] : [`${count(allowed)} tokens`]),
    ...(microUsd === undefined ? [] : [usd(microUsd)]),
    ...(turns === undefined ? [] : [plural(turns, 'turn')]),
  ].join(', ');
}

function contextRows({ injectedTokens, activeTokens }: RunSnapshot): string[][] {
  if (injectedTokens === 0 && activeTokens === 0) return [];
  return [['context', `about ${count(injectedTokens)} tokens injected, ${count(activeTokens)} read with tools`]];
}

function handoffRows({ handoffs }: RunSnapshot): string[][] {
  return handoffs.map(({ number, artifact, discardedTokens, artifactTokens, afterCall }) => [
    `handoff ${number}`,
    `after call ${afterCall}: ${count(discardedTokens)} tokens replaced by ${count(artifactTokens)} in ${artifact}${ratio(discardedTokens, artifactTokens)}`,
  ]);
}

/** Formats how many tokens of conversation each token of the handoff artifact replaces. */
export function ratio(discarded: number, artifact: number): string {
  return artifact === 0 ? '' : ` (${(discarded / artifact).toFixed(1)} : 1)`;
}

function incidentRows({ incidents }: RunSnapshot): string[][] {
  return incidents.map((incident) => ['incident', `${incidentWords(incident)}, since ${incident.since}`]);
}

function decisionRows({ decisions }: RunSnapshot): string[][] {
  return decisions.map(({ incident, action, by, note, at }) => [
    'decision',
    oneLine(`${action} ${incident} by ${by} at ${at}${note === '' ? '' : `: ${note}`}`, 300),
  ]);
}
