import { type AgentFigures, type Allowance, costText, type Figures } from '../../domain/budget';
import { formatUsd, totalTokens } from '../../domain/model';
import { formatCompact, formatCount, plural } from '../format';

/** Formats the figures of an agent for one line: its own, and the sum if there is more in it. Empty before the first turn. */
export function figureTexts({ own, withDelegations }: AgentFigures): readonly string[] {
  const isWhole = withDelegations.turns === own.turns;
  if (isWhole) return own.turns === 0 ? [] : parts(own);
  return [`own ${parts(own).join(', ')}`, `with delegations ${parts(withDelegations).join(', ')}`];
}

function parts({ turns, usage, microUsd }: Figures): readonly string[] {
  if (turns === 0) return ['0 turns'];
  const tokens = `${usage.estimated === true ? 'about ' : ''}${formatCompact(totalTokens(usage))} tokens`;
  return [plural(turns, 'turn'), tokens, costText(microUsd)];
}

/** What is spent and left of a budget, one text per limit: `cost $0.09 of $0.25, $0.16 left`. */
export function budgetTexts(
  { tokens, microUsd, turns }: Pick<Allowance, 'tokens' | 'microUsd' | 'turns'>,
  spent: Figures,
): readonly string[] {
  return [
    ...(microUsd === undefined ? [] : [`cost ${ofLimit(spent.microUsd ?? 0, microUsd, formatUsd)}`]),
    ...(tokens === undefined ? [] : [`tokens ${ofLimit(totalTokens(spent.usage), tokens, formatCount)}`]),
    ...(turns === undefined ? [] : [`turns ${ofLimit(spent.turns, turns, formatCount)}`]),
  ];
}

function ofLimit(spent: number, limit: number, format: (amount: number) => string): string {
  const rest = limit - spent;
  const left = rest < 0 ? `${format(-rest)} over` : `${format(rest)} left`;
  return `${format(spent)} of ${format(limit)}, ${left}`;
}
