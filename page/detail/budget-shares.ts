import type { Figures } from '../../client/view/run-view';
import { formatCount, formatTokens, formatUsd, totalTokens } from '../format';
import type { AgentBudgetView } from '../protocol';

/** One budget, in parts that add up to its limit. */
export interface BudgetBar {
  readonly name: string;
  /** `$18.20 of $25.00`; without a limit: `2.1M, no limit`. */
  readonly words: string;
  readonly parts: readonly BudgetPart[];
}

interface BudgetPart {
  readonly kind: 'own' | 'below' | 'held' | 'free';
  /** Between 0 and 1. */
  readonly share: number;
  readonly words: string;
}

const measures = [
  { name: 'Cost', of: (figures: Figures) => figures.microUsd, format: formatUsd },
  { name: 'Tokens', of: (figures: Figures) => totalTokens(figures.usage), format: formatTokens },
  { name: 'Turns', of: (figures: Figures) => figures.turns, format: (value: number | null) => formatCount(value ?? 0) },
] as const;

/** Bars of cost, tokens and turns. */
export function budgetBars({ own, below, held, limits }: AgentBudgetView): readonly BudgetBar[] {
  const limitOf = { Cost: limits.microUsd, Tokens: limits.tokens, Turns: limits.turns };
  return measures.map(({ name, of, format }) => {
    const limit = limitOf[name];
    const amounts = { own: of(own), below: of(below), held: of(held) };
    const known = Object.values(amounts).reduce<number>((sum, value) => sum + (value ?? 0), 0);
    const spent = amounts.own === null || amounts.below === null ? null : amounts.own + amounts.below;
    const whole = Math.max(limit ?? known, known, 1);
    const parts = (['own', 'below', 'held'] as const)
      .filter((kind) => (amounts[kind] ?? 0) > 0)
      .map((kind) => ({ kind, share: (amounts[kind] ?? 0) / whole, words: `${kind} ${format(amounts[kind])}` }));
    const free =
      limit === null
        ? []
        : [
            {
              kind: 'free',
              share: Math.max(0, limit - known) / whole,
              words: `free ${format(Math.max(0, limit - known))}`,
            } as const,
          ];
    return {
      name,
      words: limit === null ? `${format(spent)}, no limit` : `${format(spent)} of ${format(limit)}`,
      parts: [...parts, ...free],
    };
  });
}
