import { formatCount, formatPercent, formatTotalTokens, plural } from '../../client/format';
import type { StatusSnapshot } from '../../domain/agent';
import { type AgentFigures, budgetTexts, costText, type Figures } from '../../domain/budget';
import { cacheReadShare } from '../../domain/model';

/**
 * Formats what an agent consumed: its own, the sum with its delegations if there is more in it, and what is left of each
 * budget.
 */
export function figureRows({ own, withDelegations }: AgentFigures, snapshot: StatusSnapshot | null): string[][] {
  const hasDelegations = withDelegations.turns > own.turns || (snapshot?.delegations ?? 0) > 0;
  return [
    ...figuresOfRow('own', own),
    ...(hasDelegations ? figuresOfRow('with delegations', withDelegations) : []),
    ...cacheRows(own, withDelegations),
    ...budgetTexts(snapshot?.budget ?? {}, withDelegations, formatCount).map((text) => ['budget', text]),
  ];
}

/** Two lines: the figures, and the kinds of their tokens. */
function figuresOfRow(label: string, { turns, usage, microUsd }: Figures): string[][] {
  if (turns === 0) return [[label, plural(turns, 'turn')]];
  const { input, cacheRead, cacheWrite, output } = usage;
  const parts = { input, 'cache read': cacheRead, 'cache write': cacheWrite, output };
  const kinds = Object.entries(parts).map(([kind, tokens]) => `${kind} ${formatCount(tokens)}`);
  return [
    [label, `${plural(turns, 'turn')}, ${formatTotalTokens(usage)} tokens, ${costText(microUsd)}`],
    ['', kinds.join(', ')],
  ];
}

function cacheRows(own: Figures, withDelegations: Figures): string[][] {
  const share = cacheReadShare(withDelegations.usage);
  if (share === null) return [];
  const all = withDelegations.turns === own.turns ? '' : `, ${formatPercent(share)} with delegations`;
  return [['cache read', `${formatPercent(cacheReadShare(own.usage))} of the input tokens${all}`]];
}
