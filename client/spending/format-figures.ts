import { type AgentFigures, costText, type Figures } from '../../domain/budget';
import { totalTokens } from '../../domain/model';
import { formatCompact, plural } from '../format';

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
