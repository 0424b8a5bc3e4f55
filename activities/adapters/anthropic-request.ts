import type Anthropic from '@anthropic-ai/sdk';
import type { Message } from '../../domain/model/messages';
import { stopSequences } from '../../domain/output/stop';
import type { ModelRequest } from '../ports';
import { structuredOutput } from './structured-output';

export type StreamParams = Parameters<Anthropic['messages']['stream']>[0];

/** What is sent for a reply. */
export function toParams(request: ModelRequest): StreamParams {
  const { settings, output } = request;
  const stops = output === undefined ? [] : stopSequences(output);
  return {
    ...toCountParams(request),
    max_tokens: settings.maxTokens,
    ...(settings.temperature === undefined ? {} : { temperature: settings.temperature }),
    ...(stops.length === 0 ? {} : { stop_sequences: [...stops] }),
  };
}

/** What takes room in the window: the part of a request that can be counted. */
export function toCountParams({
  settings,
  system,
  tools,
  messages,
  output,
  toolChoice,
}: ModelRequest): Anthropic.MessageCountTokensParams {
  const format = output?.json === undefined ? undefined : structuredOutput(output.json);
  return {
    model: settings.name,
    // Tools and system text never change within an agent: the first cache breakpoint stands at their end.
    system: [{ type: 'text', text: system, cache_control: { type: 'ephemeral' } }],
    ...(tools.length === 0 ? {} : { tools: tools.map(toToolParam) }),
    // The API refuses a choice where there is nothing to choose from.
    ...(toolChoice === undefined || tools.length === 0 ? {} : { tool_choice: { type: toolChoice } }),
    ...(format === undefined ? {} : { output_config: { format } }),
    messages: withCacheBreakpoint(messages) as unknown as Anthropic.MessageParam[],
  };
}

function toToolParam({ name, description, inputSchema }: ModelRequest['tools'][number]): Anthropic.Tool {
  return { name, description, input_schema: inputSchema as Anthropic.Tool.InputSchema };
}

/** A second breakpoint moves along with the conversation, so that a turn pays only for what it adds. */
function withCacheBreakpoint(messages: readonly Message[]): readonly Message[] {
  const last = messages.at(-1);
  const block = last?.content.at(-1);
  if (last === undefined || block === undefined) return messages;
  const marked = { ...block, cache_control: { type: 'ephemeral' } };
  return [...messages.slice(0, -1), { ...last, content: [...last.content.slice(0, -1), marked] }];
}
