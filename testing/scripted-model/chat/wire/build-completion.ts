import type { StopReason } from '../../api';
import type { CallUsage } from '../../reply';
import type { FinishedAnswer, OutBlock } from '../../wire/finish-answer';
import { type BuiltReply, chunksOf, type WireEvent } from '../../wire/format';
import { type ChatRequest, dataLine } from '../api';

/** A reply to a chat completion request. */
interface Completion {
  readonly id: string;
  readonly request: ChatRequest;
  readonly finished: FinishedAnswer;
  readonly usage: CallUsage;
}

/** Time of every completion, in seconds since 1970. Constant, so that equal requests have equal replies. */
const created = 1_767_225_600;

/** Builds the reply to a chat completion request. */
export function completionReply(completion: Completion): BuiltReply {
  return {
    whole: wholeCompletion(completion),
    events: (chunkSize) => chunksOfCompletion(completion, chunkSize),
  };
}

function wholeCompletion({ id, request, finished, usage }: Completion): object {
  const { blocks } = finished;
  const calls = callsIn(blocks).map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.content },
  }));
  const thinking = joined(blocks, 'thinking');
  return {
    id,
    object: 'chat.completion',
    created,
    model: request.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: joined(blocks, 'text') || null,
          refusal: null,
          ...(thinking === '' ? {} : { reasoning_content: thinking }),
          ...(calls.length === 0 ? {} : { tool_calls: calls }),
        },
        logprobs: null,
        finish_reason: finishReason(finished.stopReason),
      },
    ],
    usage: toUsage(usage),
  };
}

function* chunksOfCompletion(completion: Completion, chunkSize: number): Generator<WireEvent> {
  const { id, request, finished, usage } = completion;
  const withUsage = request.stream_options?.include_usage === true;
  const common = { id, object: 'chat.completion.chunk', created, model: request.model };
  const nothing = withUsage ? { usage: null } : {};
  const chunk = (delta: object, finish: string | null = null): string =>
    dataLine({ ...common, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }], ...nothing });
  yield { text: chunk({ role: 'assistant', content: '', refusal: null }), isDelta: false, isLast: false };
  for (const delta of deltasOf(finished.blocks, chunkSize)) yield { text: chunk(delta), isDelta: true, isLast: false };
  yield { text: chunk({}, finishReason(finished.stopReason)), isDelta: false, isLast: false };
  if (withUsage) {
    yield { text: dataLine({ ...common, choices: [], usage: toUsage(usage) }), isDelta: false, isLast: false };
  }
  yield { text: dataLine('[DONE]'), isDelta: false, isLast: true };
}

function* deltasOf(blocks: readonly OutBlock[], chunkSize: number): Generator<object> {
  let index = -1;
  for (const block of blocks) {
    if (block.type === 'tool_use') {
      index += 1;
      const { id, name } = block;
      yield { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] };
    }
    for (const piece of chunksOf(block.content, chunkSize)) {
      if (block.type === 'text') yield { content: piece };
      else if (block.type === 'thinking') yield { reasoning_content: piece };
      else yield { tool_calls: [{ index, function: { arguments: piece } }] };
    }
  }
}

function callsIn(blocks: readonly OutBlock[]): readonly Extract<OutBlock, { type: 'tool_use' }>[] {
  return blocks.filter((block) => block.type === 'tool_use');
}

function joined(blocks: readonly OutBlock[], type: 'text' | 'thinking'): string {
  return blocks
    .filter((block) => block.type === type)
    .map(({ content }) => content)
    .join('');
}

/** A stop sequence is not reported by this API: it looks like a natural end. */
function finishReason(reason: StopReason): string {
  switch (reason) {
    case 'tool_use':
      return 'tool_calls';
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length';
    case 'refusal':
      return 'content_filter';
    default:
      return 'stop';
  }
}

/** This API counts cached tokens as part of the prompt. */
function toUsage(usage: CallUsage): object {
  const cached = usage.cache_read_input_tokens;
  const prompt = usage.input_tokens + usage.cache_creation_input_tokens + cached;
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.output_tokens,
    total_tokens: prompt + usage.output_tokens,
    prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
  };
}
