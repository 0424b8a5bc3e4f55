import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { msToNumber } from '@temporalio/common/lib/time';
import { estimateTokens, owningRunId, utf8 } from '../../domain/kernel';
import { limitOf, type ModelLimits } from '../../domain/limit';
import { Attempt, callingAgent } from '../attempt';
import type { ModelAnswer, ModelPort, ModelRequest } from '../dependencies';
import { spread } from '../spread-retry';
import { CallGate, type Pass } from './call-gate';

/**
 * Returns a port that sends requests within the limits of providers. A model without a limit is called as before. What a
 * provider reports about its limits lowers them. `sharers` counts the workers of a task queue, which share its limit.
 */
export function limitModel(
  port: ModelPort,
  limits: ModelLimits,
  sharers: (taskQueue: string) => Promise<number>,
): ModelPort {
  const patterns = Object.keys(limits);
  if (patterns.length === 0) return port;
  const gates = new Map(Object.entries(limits).map(([name, limit]) => [name, new CallGate(name, limit)]));
  return {
    ...port,
    countTokens: (request, signal) => port.countTokens(request, signal),
    async reply(request, signal) {
      const gate = gates.get(limitOf(patterns, request.settings.name) ?? '');
      if (gate === undefined) return port.reply(request, signal);
      gate.shareAmong(await sharers(Context.current().info.taskQueue));
      const pass = await enter(gate, request, signal);
      return callWithin(gate, pass, () =>
        port.reply(
          {
            ...request,
            onLimits: (report) => {
              gate.told(report);
            },
          },
          signal,
        ),
      );
    },
  };
}

function enter(gate: CallGate, request: ModelRequest, signal: AbortSignal): Promise<Pass> {
  const { system, tools, messages, settings } = request;
  const attempt = Attempt.current();
  return gate.pass({
    key: Context.current().info.priority?.fairnessKey || owningRunId(callingAgent()),
    promptTokens: estimateTokens(utf8(JSON.stringify([system, tools, messages])).length),
    maxReplyTokens: settings.maxTokens,
    signal,
    onWait: (text) => {
      attempt.waitsFor(text);
    },
  });
}

async function callWithin(gate: CallGate, pass: Pass, call: () => Promise<ModelAnswer>): Promise<ModelAnswer> {
  try {
    const answer = await call();
    const { input, cacheRead, cacheWrite, output } = answer.usage;
    pass.leave({ prompt: input + cacheRead + cacheWrite, reply: output });
    return answer;
  } catch (error) {
    const ms = askedToWait(error);
    if (ms !== undefined) gate.told({ retryAfterMs: spread(ms) });
    throw error;
  } finally {
    pass.leave();
  }
}

/** Milliseconds for which a refusing provider wants no requests; undefined for any other error. */
function askedToWait(error: unknown): number | undefined {
  if (!(error instanceof ApplicationFailure)) return undefined;
  if (error.type !== 'Model.RateLimited' && error.type !== 'Model.Overloaded') return undefined;
  return error.nextRetryDelay == null ? undefined : msToNumber(error.nextRetryDelay);
}
