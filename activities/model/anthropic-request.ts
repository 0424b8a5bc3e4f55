import type Anthropic from '@anthropic-ai/sdk';
import { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema';
import { type JsonSchema, stopSequences } from '../../domain/prompt/output';
import type { ModelRequest } from '../dependencies';
import { type ApiBlock, type ApiMessage, toApiMessages } from './anthropic-blocks';

/** Builds the parameters of a request for a reply. */
export function toParams(request: ModelRequest): Anthropic.MessageCreateParamsStreaming {
  const { settings, output } = request;
  const stops = output === undefined ? [] : stopSequences(output);
  return {
    ...toCountParams(request),
    max_tokens: settings.maxTokens,
    stream: true,
    ...(settings.temperature === undefined ? {} : { temperature: settings.temperature }),
    ...(stops.length === 0 ? {} : { stop_sequences: [...stops] }),
  };
}

/** Builds the part of a request that fills the context window and can be counted. */
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
    // Tools and system prompt rarely change within an agent, so the first cache breakpoint is at their end.
    system: [{ type: 'text', text: system, cache_control: { type: 'ephemeral' } }],
    ...(tools.length === 0 ? {} : { tools: tools.map(toToolParam) }),
    // The API rejects `tool_choice` without tools.
    ...(toolChoice === undefined || tools.length === 0 ? {} : { tool_choice: { type: toolChoice } }),
    ...(format === undefined ? {} : { output_config: { format } }),
    messages: withCacheBreakpoint(toApiMessages(messages)) as unknown as Anthropic.MessageParam[],
  };
}

function toToolParam({ name, description, inputSchema }: ModelRequest['tools'][number]): Anthropic.Tool {
  return { name, description, input_schema: inputSchema as Anthropic.Tool.InputSchema };
}

/** Blocks that the API allows to be marked. It rejects a mark on thinking and on most other blocks. */
const markable: ReadonlySet<string> = new Set(['text', 'tool_use', 'tool_result']);

function isMarkable({ type }: ApiBlock): boolean {
  return markable.has(type);
}

/**
 * Sets a second breakpoint at the end of the conversation, so that a turn pays full price only for what it adds. If the
 * last block may not be marked, the last one before it that may is.
 */
function withCacheBreakpoint(messages: readonly ApiMessage[]): readonly ApiMessage[] {
  const at = messages.map(({ content }) => content.some(isMarkable)).lastIndexOf(true);
  const message = messages[at];
  if (message === undefined) return messages;
  const last = message.content.map(isMarkable).lastIndexOf(true);
  const content = message.content.map((block, index) =>
    index === last ? { ...block, cache_control: { type: 'ephemeral' } } : block,
  );
  return [...messages.slice(0, at), { ...message, content }, ...messages.slice(at + 1)];
}

/**
 * The API compiles schemas and rejects complex ones. The limit is low on purpose: the prompt describes the format too.
 */
const maxOptionalProperties = 24;

/**
 * Converts a schema for the provider's structured output; undefined when the API cannot express it, and the description
 * in the prompt has to suffice. Limits of length, size and value become part of descriptions and are checked
 * afterwards.
 */
export function structuredOutput(schema: JsonSchema): Anthropic.JSONOutputFormat | undefined {
  if (schema.type !== 'object' || !isExpressible(schema) || optionalIn(schema) > maxOptionalProperties)
    return undefined;
  return { type: 'json_schema', schema: transformJSONSchema(schema) };
}

/** The API supports only closed objects, and arrays whose items have a schema. */
function isExpressible(schema: JsonSchema): boolean {
  if (schema.type === 'array' && schema.items === undefined) return false;
  if (schema.type === 'object' && isOpen(schema)) return false;
  return childrenOf(schema).every(isExpressible);
}

/**
 * An object that does not mention additional properties may be closed for the model, because its output still conforms.
 */
function isOpen({ properties = {}, additionalProperties }: JsonSchema): boolean {
  return additionalProperties === true || (additionalProperties === undefined && Object.keys(properties).length === 0);
}

function optionalIn(schema: JsonSchema): number {
  const { properties = {}, required = [] } = schema;
  const own = Object.keys(properties).filter((name) => !required.includes(name)).length;
  return childrenOf(schema).reduce((sum, child) => sum + optionalIn(child), own);
}

function childrenOf({ properties = {}, items }: JsonSchema): readonly JsonSchema[] {
  return [...Object.values(properties), ...(items === undefined ? [] : [items])];
}
