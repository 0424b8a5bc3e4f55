import { type CallRecord, sha256 } from '../call-log';
import { renderPrompt, tokensIn } from '../prompt-usage';
import { type Answer, type CallUsage, fail, type ScriptedReply } from '../reply';
import { viewConversation } from '../script';
import type { ServerState } from '../state';
import { parseJson } from '../validate/parse';
import { findModel, validateMessageRequest } from '../validate/request';
import { buildMessage, type BuiltMessage } from '../wire/build-message';
import { type Exchange, readBody } from '../wire/exchange';
import { finishAnswer } from '../wire/finish-answer';
import { sendFailure, sendStream, sendWhole, type Settle } from '../wire/send-reply';

/** Handles POST /v1/messages. */
export async function createMessage(state: ServerState, exchange: Exchange): Promise<void> {
  const body = await readBody(exchange);
  const request = validateMessageRequest(state, state.messages.share(parseJson(body)));
  const call = state.log.record(request, body);
  exchange.signal.addEventListener('abort', () => {
    state.log.settle(call, 'aborted');
  });
  state.onCall?.(call);
  const reply = await askScript(state, exchange, call);
  if (!exchange.signal.aborted) await send(state, exchange, call, reply);
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

async function send(state: ServerState, exchange: Exchange, call: CallRecord, reply: ScriptedReply): Promise<void> {
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
  const plan = { built: build(state, call, answer), pace: paceOf(state, answer), breakOff, settle };
  await (call.request.stream === true ? sendStream(exchange, plan) : sendWhole(exchange, plan));
}

function build(state: ServerState, call: CallRecord, answer: Answer): BuiltMessage {
  const { request, digest, attempt } = call;
  const prompt = renderPrompt(request);
  const counted = state.cache.use(prompt);
  const identity = sha256(digest, String(attempt));
  const finished = finishAnswer(answer, (ordinal) => `toolu_${sha256(identity, String(ordinal)).slice(0, 24)}`, {
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
  call.usage = usage;
  const id = `msg_${identity.slice(0, 24)}`;
  const built = buildMessage(id, request.model, finished, { ...usage, ttl: counted.ttl }, prompt.end);
  if (built.message.stop_reason === 'pause_turn') state.paused.add(built.end.digest);
  return built;
}

function paceOf(state: ServerState, { delayMs, chunkDelayMs, chunkSize }: Answer): ServerState['pace'] {
  return {
    delayMs: delayMs ?? state.pace.delayMs,
    chunkDelayMs: chunkDelayMs ?? state.pace.chunkDelayMs,
    chunkSize: Math.max(1, chunkSize ?? state.pace.chunkSize),
  };
}
