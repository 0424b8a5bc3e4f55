import type { ConversationCall, ConversationTurn } from '../../client/conversation/conversation';
import type { StopReason } from '../../domain/model';
import { formatTokens, plural } from '../format';
import { turnName } from './entry-list';

/** Name of a turn for a screen reader: "Turn 7, 8.4 seconds, 2 tool calls, 1 failed". */
export function turnLabel(turn: ConversationTurn): string {
  const failed = turn.calls.filter(({ result }) => result?.isError === true).length;
  return [
    `Turn ${turnName(turn)}`,
    turn.replaced === undefined ? '' : 'replaced by a reset',
    turn.tookMs === null ? '' : `${(turn.tookMs / 1_000).toFixed(1)} seconds`,
    turn.calls.length === 0 ? '' : plural(turn.calls.length, 'tool call'),
    failed === 0 ? '' : `${failed} failed`,
  ]
    .filter((part) => part !== '')
    .join(', ');
}

/** Input and output of a turn: `in 9.8k (9.1k cached)`, `out 212`. */
export function usageWords({ usage }: ConversationTurn): readonly string[] {
  const input = usage.input + usage.cacheRead + usage.cacheWrite;
  const cached = usage.cacheRead > 0 ? ` (${formatTokens(usage.cacheRead)} cached)` : '';
  return [`in ${formatTokens(input)}${cached}`, `out ${formatTokens(usage.output)}`];
}

const unusualEnds: Readonly<Partial<Record<StopReason, string>>> = {
  outputLimit: 'reached the output limit',
  contextExceeded: 'context window full',
  refused: 'refused',
  paused: 'paused by the provider',
  stopSequence: 'stop sequence',
  other: 'ended for another reason',
};

/** Why a reply ended, if that is unusual. */
export function stopWords({ stopReason }: ConversationTurn): string | null {
  return unusualEnds[stopReason] ?? null;
}

const dispatching = ['dispatch_subagent', 'dispatch_subagents', 'dispatch_skill'];

/** Whether a call starts agents. */
export function startsAgents({ tool, delegations }: ConversationCall): boolean {
  return dispatching.includes(tool) || (delegations?.length ?? 0) > 0;
}
