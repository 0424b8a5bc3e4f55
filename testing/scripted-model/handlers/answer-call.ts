import { type CallRecord, sha256 } from '../call-log';
import { type InputTokens, type RenderedPrompt, renderPrompt, tokensIn } from '../prompt-usage';
import { type Answer, type CallUsage, fail, type ScriptedReply } from '../reply';
import { viewConversation } from '../script';
import type { ServerState } from '../state';
import { findModel } from '../validate/request';
import type { Exchange } from '../wire/exchange';
import { finishAnswer, type FinishedAnswer } from '../wire/finish-answer';
import type { BuiltReply } from '../wire/format';
import { sendFailure, sendStream, sendWhole, type Settle } from '../wire/send-reply';

/** A reply of the script after stop sequences and limits were applied, with what it used. */
interface CountedAnswer {
  /** Identifies the reply: the same for the same request and attempt. */
  readonly identity: string;
  readonly finished: FinishedAnswer;
  readonly prompt: RenderedPrompt;
  readonly usage: CallUsage;
  readonly ttl: InputTokens['ttl'];
}

/** What differs between the APIs when a call is answered. */
export interface AnsweringApi {
  /** Start of the ids of tool calls. */
  readonly toolIdPrefix: string;
  /** Counts the tokens of the prompt, and how many of them are cached. */
  count(prompt: RenderedPrompt): InputTokens;
  /** Builds the reply in the format of the API. */
  build(call: CallRecord, counted: CountedAnswer): BuiltReply;
}

/** Answers a valid call with the script's reply. */
export async function answerCall(
  state: ServerState,
  exchange: Exchange,
  call: CallRecord,
  api: AnsweringApi,
): Promise<void> {
  exchange.signal.addEventListener('abort', () => {
    state.log.settle(call, 'aborted');
  });
  state.onCall?.(call);
  const reply = await askScript(state, exchange, call);
  if (!exchange.signal.aborted) await send(state, exchange, { call, reply, api });
}

/**
 * Runs the script. A script that throws is an error in the test, and results in a server error with the script's
 * message.
 */
async function askScript(state: ServerState, { signal }: Exchange, call: CallRecord): Promise<ScriptedReply> {
  const { index, attempt, digest, request } = call;
  try {
    const reply = await state.script({ ...viewConversation(request), index, attempt, digest, request, signal });
    if (request.tool_choice?.type === 'none' && reply.kind === 'answer' && reply.tools.length > 0) {
      throw new Error('It uses tools although the request has tool_choice none, which no model can do');
    }
    return reply;
  } catch (error) {
    return fail(500, { message: `The script failed: ${error instanceof Error ? error.message : String(error)}` });
  }
}

interface Sending {
  readonly call: CallRecord;
  readonly reply: ScriptedReply;
  readonly api: AnsweringApi;
}

async function send(state: ServerState, exchange: Exchange, { call, reply, api }: Sending): Promise<void> {
  const settle: Settle = (outcome, status) => {
    call.status = status;
    state.log.settle(call, outcome);
  };
  if (reply.kind === 'failure') {
    await sendFailure(exchange, reply, settle);
    return;
  }
  const answer = reply.kind === 'answer' ? reply : reply.answer;
  const breakOff = reply.kind === 'answer' ? undefined : reply;
  const counted = countAnswer(state, call, answer, api);
  call.usage = counted.usage;
  const plan = { built: api.build(call, counted), pace: paceOf(state, answer), breakOff, settle };
  await (call.request.stream === true ? sendStream(exchange, plan) : sendWhole(exchange, plan));
}

function countAnswer(state: ServerState, call: CallRecord, answer: Answer, api: AnsweringApi): CountedAnswer {
  const { request, digest, attempt } = call;
  const prompt = renderPrompt(request);
  const counted = api.count(prompt);
  const identity = sha256(digest, String(attempt));
  const toolId = (ordinal: number): string => `${api.toolIdPrefix}${sha256(identity, String(ordinal)).slice(0, 24)}`;
  const finished = finishAnswer(answer, toolId, {
    stopSequences: request.stop_sequences ?? [],
    maxTokens: request.max_tokens,
    roomInWindow: findModel(state.models, request.model).maxInputTokens - tokensIn(prompt.end.bytes),
  });
  const usage: CallUsage = {
    input_tokens: counted.uncached,
    cache_creation_input_tokens: counted.written,
    cache_read_input_tokens: counted.read,
    output_tokens: finished.outputTokens,
    ...answer.usage,
  };
  return { identity, finished, prompt, usage, ttl: counted.ttl };
}

function paceOf(state: ServerState, { delayMs, chunkDelayMs, chunkSize }: Answer): ServerState['pace'] {
  return {
    delayMs: delayMs ?? state.pace.delayMs,
    chunkDelayMs: chunkDelayMs ?? state.pace.chunkDelayMs,
    chunkSize: Math.max(1, chunkSize ?? state.pace.chunkSize),
  };
}
