import { addUsage } from '../../domain/model/usage';
import { restoreStopSequence } from '../../domain/skill/output/stop';
import type { OutputFormat } from '../../domain/skill/output/output-format';
import type { ModelAnswer, ModelPort, ModelRequest } from '../ports';

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
