import { formatCount, formatShare, oneLine, plural } from '../../client/format';
import { commandsFor, formatIncident } from '../../client/operator/decide';
import { formatRelayStatus, type StatusSnapshot } from '../../domain/agent';
import { displayId } from '../../domain/kernel';
import { formatFallback } from '../../domain/model';
import type { DecisionRecord } from '../../domain/operator';

/**
 * Formats a status snapshot as rows of a label and a value. Rows without a value are omitted. A run that was stopped from
 * outside still reports what it was doing then, so what it waits for is shown only while it runs.
 */
export function progressRows(snapshot: StatusSnapshot, isRunning: boolean, workflowId: string): string[][] {
  const { status, waitingFor, model, turn, maxTurns, occupancy, window, skill, parkedBelow, relay } = snapshot;
  return [
    ...(isRunning ? [['progress', waitingFor === '' ? status : `${status}: ${waitingFor}`]] : []),
    ...(skill === null ? [] : [['skill', skill]]),
    ...continuesRows(snapshot),
    ['model', model],
    ...fallbackRows(snapshot),
    ...commandRows(snapshot),
    ...(relay === undefined
      ? [
          ['turns', `${turn} of ${maxTurns}`],
          ['window', formatShare(occupancy, window)],
        ]
      : relayRows(relay)),
    ...contextRows(snapshot),
    ...deferredRows(snapshot),
    ...handoffRows(snapshot),
    ...(isRunning ? incidentRows(snapshot, workflowId) : []),
    ...(parkedBelow === 0 || !isRunning ? [] : belowRows(parkedBelow, workflowId)),
    ...decisionRows(snapshot),
  ];
}

function belowRows(parked: number, workflowId: string): string[][] {
  return [
    ['below', `${plural(parked, 'agent')} waiting for an operator`],
    ['', `baton why ${displayId(workflowId)}`],
  ];
}

function continuesRows({ continues }: StatusSnapshot): string[][] {
  if (continues === undefined) return [];
  const { runId, turn } = continues;
  const kept = turn === 1 ? 'its opening is kept' : `${plural(turn - 1, 'turn')} of it kept`;
  return [['continues', `${runId} from turn ${turn}; ${kept}, not paid for again`]];
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

function relayRows(relay: NonNullable<StatusSnapshot['relay']>): string[][] {
  return [
    ['relay', `${relay.name}, ${formatRelayStatus(relay)}`],
    ...relay.steps.map(({ name, completed, round, items }, index) => [
      `step ${index + 1}`,
      [
        name,
        round === undefined ? (completed === 0 ? 'to come' : 'done') : 'at work',
        ...(completed > 1 || (round ?? 1) > 1 ? [plural(round ?? completed, 'round')] : []),
        ...(items === undefined ? [] : [`${formatCount(items.done)} of ${plural(items.of, 'item')}`]),
      ].join(', '),
    ]),
  ];
}

function contextRows({ injectedTokens, activeTokens }: StatusSnapshot): string[][] {
  if (injectedTokens === 0 && activeTokens === 0) return [];
  return [
    ['context', `about ${formatCount(injectedTokens)} tokens injected, ${formatCount(activeTokens)} read with tools`],
  ];
}

function fallbackRows({ fallbacks = [] }: StatusSnapshot): string[][] {
  return fallbacks.map((fallback) => ['fallback', oneLine(formatFallback(fallback), 300)]);
}

function deferredRows({ deferredTools }: StatusSnapshot): string[][] {
  return deferredTools === undefined ? [] : [['deferred', `${plural(deferredTools, 'tool')} that find_tool brings in`]];
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

function incidentRows({ incidents }: StatusSnapshot, workflowId: string): string[][] {
  return incidents.flatMap((incident) => {
    const until = incident.until === undefined ? '' : `, until ${incident.until}`;
    return [
      ['incident', `${formatIncident(incident)}, since ${incident.since}${until}`],
      ['', commandsFor({ workflowId, incident }).join(' · ')],
    ];
  });
}

function decisionRows({ decisions }: StatusSnapshot): string[][] {
  return decisions.map((decision) => {
    const { incident, action, by, note, at } = decision;
    const what = `${action} ${incident}${formatDecided(decision)}`;
    return ['decision', oneLine(`${what} by ${by} at ${at}${note === '' ? '' : `: ${note}`}`, 400)];
  });
}

/** Formats what a decision is besides its action: whether it applies to further calls, other arguments, an answer. */
export function formatDecided({
  always,
  edited,
  answer,
}: Partial<Pick<DecisionRecord, 'always' | 'edited' | 'answer'>>): string {
  return [
    ...(always === true ? [' always'] : []),
    ...(edited === undefined ? [] : [` with ${edited}`]),
    ...(answer === undefined ? [] : [` "${oneLine(answer, 100)}"`]),
  ].join('');
}
