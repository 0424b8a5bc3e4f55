import type { AgentDetails } from '../../client/delegation/tree-node';
import { formatCount } from '../../client/format';
import { budgetTexts } from '../../domain/budget';
import { cutLine, type Line } from '../screen/style';

/** What is spent and left of the budget of the agent at the top of a tree, below it. Nothing if it has none. */
export function budgetLines(top: AgentDetails | undefined, columns: number): readonly Line[] {
  if (top === undefined) return [];
  const texts = budgetTexts(top.budget ?? {}, top.figures.withDelegations, formatCount);
  return texts.map((text) => cutLine([{ text: 'budget', style: 'quiet' }, `  ${text}`], columns));
}
