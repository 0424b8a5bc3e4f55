import { log } from '@temporalio/activity';
import type { Allowance } from '../../domain/budget/allowance';
import { estimateCall } from '../../domain/budget/estimate';
import { shortfallFor, shortfallMessage } from '../../domain/budget/lack';
import type { CallRefused } from '../../domain/model/reply';
import type { CallLimits } from '../interface';
import type { ModelPort, ModelRequest } from '../ports';

/**
 * Checks a call that might exceed a limit. The provider counts its tokens free of charge. Undefined if it is allowed.
 */
export async function checkCallLimits(
  model: ModelPort,
  request: ModelRequest,
  admission: CallLimits,
  signal: AbortSignal,
): Promise<CallRefused | undefined> {
  const tokens = await countOrEstimate(model, request, admission.estimate, signal);
  const { window, budget, price } = admission;
  if (window !== undefined && tokens > window) {
    return { notAsked: 'window', message: `the next call is ${tokens} tokens; the limit is ${window}` };
  }
  return budget === undefined ? undefined : beyond(budget, tokens, request.settings.maxTokens, price);
}

function beyond(
  budget: Allowance,
  tokens: number,
  maxTokens: number,
  price: CallLimits['price'],
): CallRefused | undefined {
  const call = { promptBytes: 0, toolBytes: 0, conversationTokens: tokens, maxTokens, price };
  const lack = shortfallFor(estimateCall(call), budget);
  return lack === undefined ? undefined : { notAsked: 'budget', message: shortfallMessage(lack) };
}

/** Falls back to the upper bound, because a provider that can't count must not stop an agent. */
async function countOrEstimate(
  model: ModelPort,
  request: ModelRequest,
  estimate: number,
  signal: AbortSignal,
): Promise<number> {
  try {
    return await model.countTokens(request, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    log.warn('Token count failed; using an estimate', { estimate, error: String(error) });
    return estimate;
  }
}
