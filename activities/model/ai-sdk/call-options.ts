import type { JSONSchema7, LanguageModelV3CallOptions, LanguageModelV3FunctionTool } from '@ai-sdk/provider';
import { type OutputFormat, stopSequences } from '../../../domain/prompt/output';
import type { ModelCapabilities } from '../../../domain/model';
import type { ModelRequest } from '../../dependencies';
import { strictSchema } from '../structured-output';
import { toPrompt } from './prompt';

/** The model that a request is made to. */
export interface RequestTarget {
  /** Marks the provider data of replies. Data with another name is not sent. */
  readonly provider: string;
  readonly capabilities: ModelCapabilities;
}

/** Builds the options of a call, apart from its signal. */
export function toCallOptions(request: ModelRequest, target: RequestTarget): LanguageModelV3CallOptions {
  const { settings, system, tools, messages, output, toolChoice } = request;
  const { provider, capabilities } = target;
  const stops = stopsFor(request, capabilities);
  const schema = output !== undefined && capabilities.structuredOutput ? schemaOf(output) : undefined;
  return {
    prompt: toPrompt(system, messages, provider),
    maxOutputTokens: settings.maxTokens,
    ...(settings.temperature === undefined ? {} : { temperature: settings.temperature }),
    ...(stops.length === 0 ? {} : { stopSequences: [...stops] }),
    ...(schema === undefined ? {} : { responseFormat: { type: 'json', schema, name: 'answer' } }),
    ...(tools.length === 0 ? {} : { tools: tools.map(toTool) }),
    // Providers reject a tool choice without tools.
    ...(toolChoice === undefined || tools.length === 0 || !capabilities.toolChoice
      ? {}
      : { toolChoice: { type: toolChoice } }),
  };
}

/** Returns the stop sequences that are sent with a request. */
export function stopsFor({ output }: ModelRequest, capabilities: ModelCapabilities): readonly string[] {
  return output === undefined || !capabilities.stopSequences ? [] : stopSequences(output);
}

/** Returns the schema of an output format, if providers that support schemas accept it. */
export function schemaOf({ json }: OutputFormat): JSONSchema7 | undefined {
  return json === undefined ? undefined : strictSchema(json);
}

function toTool({ name, description, inputSchema }: ModelRequest['tools'][number]): LanguageModelV3FunctionTool {
  return { type: 'function', name, description, inputSchema };
}
