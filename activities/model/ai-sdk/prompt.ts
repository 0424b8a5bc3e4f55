import type {
  JSONObject,
  JSONValue,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  LanguageModelV3ToolResultPart,
  SharedV3ProviderOptions,
} from '@ai-sdk/provider';
import {
  type ContentBlock,
  isToolCall,
  type Message,
  type ProviderData,
  type ToolResultBlock,
} from '../../../domain/model';

type AssistantPart = Extract<LanguageModelV3Message, { role: 'assistant' }>['content'][number];

/** Starts the text of a failed tool call, because some providers have no other way to mark one. */
const errorMark = 'Error: ';

/**
 * Translates a conversation. Blocks whose provider data has another name are left out, and texts and tool calls are sent
 * without such data.
 */
export function toPrompt(system: string, messages: readonly Message[], provider: string): LanguageModelV3Prompt {
  const names = toolNames(messages);
  return [
    { role: 'system', content: system },
    ...messages.flatMap(({ role, content }) =>
      role === 'assistant' ? toReply(content, provider) : toRequest(content, names),
    ),
  ];
}

/** Names of the tools by the ids of their calls. The interface repeats the name with every result. */
function toolNames(messages: readonly Message[]): ReadonlyMap<string, string> {
  const calls = messages.flatMap(({ content }) => content.filter(isToolCall));
  return new Map(calls.map(({ id, name }) => [id, name]));
}

/** Results come first: providers require them right after the calls. */
function toRequest(content: readonly ContentBlock[], names: ReadonlyMap<string, string>): LanguageModelV3Message[] {
  const results = content.filter((block) => block.type === 'toolResult').map((block) => toResult(block, names));
  const texts = content.filter((block) => block.type === 'text').map(({ text }) => ({ type: 'text' as const, text }));
  return [
    ...(results.length === 0 ? [] : [{ role: 'tool' as const, content: results }]),
    ...(texts.length === 0 ? [] : [{ role: 'user' as const, content: texts }]),
  ];
}

function toResult(
  { callId, isError, text }: ToolResultBlock,
  names: ReadonlyMap<string, string>,
): LanguageModelV3ToolResultPart {
  // Providers reject a text without characters, or of blanks alone.
  const value = text.trim() === '' ? '(empty)' : text;
  return {
    type: 'tool-result',
    toolCallId: callId,
    toolName: names.get(callId) ?? 'unknown_tool',
    output: isError ? { type: 'error-text', value: `${errorMark}${value}` } : { type: 'text', value },
  };
}

function toReply(content: readonly ContentBlock[], provider: string): LanguageModelV3Message[] {
  const parts = content.flatMap((block) => toReplyPart(block, provider));
  return parts.length === 0 ? [] : [{ role: 'assistant', content: parts }];
}

function toReplyPart(block: ContentBlock, provider: string): readonly AssistantPart[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: block.text, ...optionsFrom(block.provider, provider) }];
    case 'toolCall': {
      const { id, name, input } = block;
      return [{ type: 'tool-call', toolCallId: id, toolName: name, input, ...optionsFrom(block.provider, provider) }];
    }
    case 'thinking':
      return block.provider?.name === provider
        ? [{ type: 'reasoning', text: block.text, ...optionsFrom(block.provider, provider) }]
        : [];
    case 'opaque':
      return block.provider.name === provider ? restoredPart(block.provider.data as JSONObject) : [];
    case 'toolResult':
      return [];
  }
}

/** What a provider added to a part is sent back with it. */
function optionsFrom(
  data: ProviderData | undefined,
  provider: string,
): { readonly providerOptions?: SharedV3ProviderOptions } {
  if (data?.name !== provider || Object.keys(data.data as object).length === 0) return {};
  return { providerOptions: data.data as SharedV3ProviderOptions };
}

/**
 * Restores a part that has no neutral meaning: a file, or a tool that the provider itself called. Others are not sent
 * back.
 */
function restoredPart({ type, providerMetadata, ...part }: JSONObject): readonly AssistantPart[] {
  const options =
    providerMetadata === undefined ? {} : { providerOptions: providerMetadata as SharedV3ProviderOptions };
  if (type === 'file') {
    return [{ type, mediaType: asText(part['mediaType']), data: asText(part['data']), ...options }];
  }
  const call = { toolCallId: asText(part['toolCallId']), toolName: asText(part['toolName']), ...options };
  if (type === 'tool-call') return [{ type, ...call, input: parsed(part['input']), providerExecuted: true }];
  if (type !== 'tool-result') return [];
  const output = { type: 'json' as const, value: part['result'] ?? null };
  return [{ type, ...call, output }];
}

function parsed(input: JSONValue | undefined): unknown {
  try {
    return JSON.parse(asText(input));
  } catch {
    return {};
  }
}

function asText(value: JSONValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
