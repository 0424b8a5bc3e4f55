import {
  afterTurn,
  formatRepetition,
  formatRepetitionNotice,
  judgeRepetition,
  type RepeatedTurns,
  repeatedTurns,
} from '../../domain/agent';
import type { ToolCall } from '../../domain/tool';
import { failure } from '../failures';
import { withOperatorRetry } from '../operator/operator-retry';
import type { Agent } from './agent';

/**
 * Counts turns with the same calls and the same results. Tells the agent once that it repeats itself, and fails with
 * `Agent.Stuck` if it continues. Undefined at once otherwise: every promise costs time.
 */
export function watchRepetition(agent: Agent, calls: readonly ToolCall[]): Promise<undefined> | undefined {
  const { maxRepeats = 0 } = agent.settings.limits;
  if (maxRepeats === 0 || calls.length === 0) return undefined;
  const { progress } = agent;
  const repetition = afterTurn(progress.repetition, calls, progress.outcomes);
  agent.progress = { ...progress, repetition };
  const repeated = repeatedTurns(repetition);
  const verdict = judgeRepetition(repeated, maxRepeats);
  if (repeated === undefined || verdict === 'none') return undefined;
  if (verdict === 'stop') return stop(agent, calls, repeated);
  const notice = formatRepetitionNotice(repeated, calls, maxRepeats);
  agent.progress = { ...agent.progress, notes: [...progress.notes, notice] };
  return undefined;
}

/** Fails the turn. After an operator's retry the agent continues, and is counted from the beginning. */
async function stop(agent: Agent, calls: readonly ToolCall[], repeated: RepeatedTurns): Promise<undefined> {
  let isStuck = true;
  await withOperatorRetry(agent, { name: `turn ${agent.progress.calls}` }, () => {
    if (!isStuck) return Promise.resolve();
    isStuck = false;
    return Promise.reject(failure('Agent.Stuck', `The agent ${formatRepetition(repeated, calls)}.`));
  });
  const { repetition: _, ...progress } = agent.progress;
  agent.progress = progress;
}
