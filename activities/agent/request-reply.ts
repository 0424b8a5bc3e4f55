import { log } from '@temporalio/activity';
import type { CallLimits } from '../../domain/agent';
import { type Allowance, estimateCall, shortfallFor, shortfallMessage } from '../../domain/budget';
import { addUsage, type CallRefused } from '../../domain/model';
import { type OutputFormat, restoreStopSequence } from '../../domain/skill/output';
import type { ModelAnswer, ModelPort, ModelRequest } from '../dependencies';

type Content = ModelAnswer['content'];

/**
 * Requests a reply and undoes the effect of a stop sequence. The provider drops the sequence from the end of the reply.
 * It is restored here, before anything else reads the reply, so that the transcript, later requests and the parser see
 * the complete message.
 */
export async function requestReply(model: ModelPort, request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer> {
  const answer = await model.reply(request, signal);
  const { output, ...withoutStops } = request;
  if (output === undefined || answer.stopReason !== 'stop_sequence') return answer;
  if (!answer.content.some(({ type }) => type === 'tool_use')) {
    return { ...answer, content: withStop(output, answer.content) };
  }
  // The sequence occurred inside a tool call, such as one that writes a file. Half a call is useless: repeat without
  // it.
  const whole = await model.reply(withoutStops, signal);
  return { ...whole, usage: addUsage(answer.usage, whole.usage), lastUsage: whole.usage };
}

/** Appends the stop sequence to the last text block, or as a new block if there is none. */
function withStop(output: OutputFormat, content: Content): Content {
  const end = restoreStopSequence(output, '', 'stop_sequence');
  const at = content.map(isText).lastIndexOf(true);
  if (at < 0) return [...content, { type: 'text', text: end } as Content[number]];
  return content.map((block, index) => (index === at && isText(block) ? { ...block, text: block.text + end } : block));
}

function isText(block: { readonly type: string }): block is { readonly type: 'text'; readonly text: string } {
  return block.type === 'text' && 'text' in block && typeof block.text === 'string';
}

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
