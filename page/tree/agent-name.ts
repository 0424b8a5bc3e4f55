import type { AgentRow } from '../../client/view/run-view';
import {
  cutText,
  describeUsage,
  formatCount,
  formatDuration,
  formatFullTime,
  formatUsd,
  spokenTokens,
  totalTokens,
} from '../format';

/** What an agent was asked, after the name of its role. */
export function titleOf({ role, headline }: Pick<AgentRow, 'role' | 'headline'>): string {
  return role === null ? headline : `${role} · ${headline}`;
}

/** What it is doing or what happened to it; empty for a completed agent. */
export function activityOf({ state, detail, turn, failure }: AgentRow): string {
  if (state === 'completed') return '';
  if (failure !== null) return failure.type;
  const words = detail === '' ? state : detail;
  return turn > 0 && (state === 'running' || state === 'paused') ? `turn ${turn} · ${words}` : words;
}

/** Name of a row for a screen reader. */
export function spokenName(row: AgentRow): string {
  const { state, turn, batch, withDelegations } = row;
  const activity = activityOf({ ...row, turn: 0 });
  return [
    titleOf(row),
    state,
    ...(activity === '' || activity === state ? [] : [activity]),
    ...(turn > 0 ? [`turn ${turn}`] : []),
    spokenTokens(totalTokens(withDelegations.usage)),
    ...(batch === null ? [] : [`${formatCount(batch.index + 1)} of ${formatCount(batch.size)}`]),
  ].join(', ');
}

/** Everything about a row, for its tooltip. */
export function tooltipOf(row: AgentRow, now: number): string {
  const { model, turn, maxTurns, own, withDelegations, startedAt, endedAt, path, state, detail, failure } = row;
  const took = formatDuration((endedAt ?? now) - startedAt);
  return cutText(
    [
      titleOf(row),
      `${state}${detail === '' ? '' : `: ${detail}`}${failure === null ? '' : ` (${failure.message})`}`,
      `${model ?? 'unknown model'}, turn ${turn}${maxTurns === null ? '' : ` of ${maxTurns}`}`,
      `own ${describeUsage(own.usage)}, ${formatUsd(own.microUsd)}`,
      `with delegations ${formatUsd(withDelegations.microUsd)}`,
      `started ${formatFullTime(startedAt)}, ${endedAt === null ? 'for' : 'took'} ${took}`,
      path === '' ? 'root' : path,
    ].join('\n'),
    1_000,
  );
}
