import { log } from '@temporalio/activity';
import type { Allowance } from '../domain/budget/allowance';
import { estimateCall } from '../domain/budget/estimate';
import { lackFor, lackMessage } from '../domain/budget/lack';
import type { NotAsked } from '../domain/model/reply';
import type { Admission } from './interface';
import type { ModelPort, ModelRequest } from './ports';

/**
 * Whether a call that might pass a limit may be made: the provider counts its tokens, for nothing. Undefined: it may.
 */
export async function admitCall(
  model: ModelPort,
  request: ModelRequest,
  admission: Admission,
  signal: AbortSignal,
): Promise<NotAsked | undefined> {
  const tokens = await countOrEstimate(model, request, admission.estimate, signal);
  const { window, budget, price } = admission;
  if (window !== undefined && tokens > window) {
    return { notAsked: 'window', message: `the next call has ${tokens} tokens, and ${window} are allowed` };
  }
  return budget === undefined ? undefined : beyond(budget, tokens, request.settings.maxTokens, price);
}

function beyond(budget: Allowance, tokens: number, maxTokens: number, price: Admission['price']): NotAsked | undefined {
  const call = { promptBytes: 0, toolBytes: 0, conversationTokens: tokens, maxTokens, price };
  const lack = lackFor(estimateCall(call), budget);
  return lack === undefined ? undefined : { notAsked: 'budget', message: lackMessage(lack) };
}

/** A provider that can't count must not stop an agent: the estimate errs on the safe side. */
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
    log.warn('Tokens could not be counted: an estimate is used', { estimate, error: String(error) });
    return estimate;
  }
}
