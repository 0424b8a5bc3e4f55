import { addUsage } from '../domain/model/usage';
import { restoreStop } from '../domain/output/stop';
import type { OutputFormat } from '../domain/skill/output-format';
import type { ModelAnswer, ModelPort, ModelRequest } from './ports';

type Content = ModelAnswer['content'];

/**
 * Asks the model, and makes good what a stop sequence does to the answer. The end of the answer, which the provider
 * dropped, is put back here, before anybody sees it: the transcript then holds it, the next request sends it (in a repair,
 * the model sees its message as it meant it), and the parser gets it whole.
 */
export async function askModel(model: ModelPort, request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer> {
  const answer = await model.reply(request, signal);
  const { output, ...withoutStops } = request;
  if (output === undefined || answer.stopReason !== 'stop_sequence') return answer;
  if (!answer.content.some(({ type }) => type === 'tool_use')) {
    return { ...answer, content: withStop(output, answer.content) };
  }
  // Somebody writes a file that contains the sequence, say. Half a call is of no use to anyone: once more, without.
  const whole = await model.reply(withoutStops, signal);
  return { ...whole, usage: addUsage(answer.usage, whole.usage), lastUsage: whole.usage };
}

/** At the end of the last text; an answer without any gets one. */
function withStop(output: OutputFormat, content: Content): Content {
  const end = restoreStop(output, '', 'stop_sequence');
  const at = content.map(isText).lastIndexOf(true);
  if (at < 0) return [...content, { type: 'text', text: end } as Content[number]];
  return content.map((block, index) => (index === at && isText(block) ? { ...block, text: block.text + end } : block));
}

function isText(block: { readonly type: string }): block is { readonly type: 'text'; readonly text: string } {
  return block.type === 'text' && 'text' in block && typeof block.text === 'string';
}
