import type { LanguageModelV3, LanguageModelV3CallOptions, LanguageModelV3StreamPart } from '@ai-sdk/provider';
import type { ModelCapabilities } from '../../../domain/model';
import type { ModelAnswer, ModelPort, ModelRequest, ReplyPart } from '../../dependencies';
import { modelFailure } from '../provider-failure';
import { callLimits, type CallLimitSettings, type ProviderCall, withTimeouts } from '../with-timeouts';
import { ReplyAssembler } from './assemble-reply';
import { type RequestTarget, schemaOf, stopsFor, toCallOptions } from './call-options';
import { aiSdkFailure, type SettingNames, streamFailure } from './failures';

/** A model of an AI SDK provider, of the third or the fourth version of the interface. */
export interface AiSdkLanguageModel {
  readonly specificationVersion: string;
  /** Name of the provider, such as `google.generative-ai`. */
  readonly provider: string;
  readonly modelId: string;
  doStream(options: never): PromiseLike<{ readonly stream: ReadableStream<unknown> }>;
}

/** Options of `createAiSdkModel`. */
export interface AiSdkSettings extends CallLimitSettings {
  /**
   * Prefix of the models that this port serves. It marks data that only this provider understands, so that no other
   * provider receives it. Default: the first part of the model's own provider name.
   */
  readonly provider?: string;
  /**
   * What the provider supports. Default: tool choice and stop sequences. Structured output is off by default, because
   * some servers reject requests for it or ignore them.
   */
  readonly supports?: Partial<Omit<ModelCapabilities, 'countsTokens'>>;
  /** Names of the settings with the API key and the base URL, for error messages. */
  readonly settingNames?: SettingNames;
}

/** A model, or a function that returns the model for a name. The function is called for every request. */
export type AiSdkModelSource = AiSdkLanguageModel | ((modelId: string) => AiSdkLanguageModel);

/**
 * Creates a model port from a provider of the AI SDK, so that every provider that has a package for it can be used. The
 * retries of the AI SDK are not part of its providers; Temporal retries model calls.
 *
 * @example
 * ```ts
 * import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
 * import { createAiSdkModel } from 'baton-agents/worker';
 *
 * const acme = createOpenAICompatible({ name: 'acme', baseURL: 'https://models.example.com/v1' });
 *
 * export const model = createAiSdkModel((modelId) => acme(modelId), { provider: 'acme' });
 * ```
 */
export function createAiSdkModel(source: AiSdkModelSource, settings: AiSdkSettings = {}): ModelPort {
  const { time, maxBytes } = callLimits(settings);
  const { settingNames = {} } = settings;
  const capabilities = capabilitiesOf(settings);
  return {
    nativeStructuredOutput: (output) => capabilities.structuredOutput && schemaOf(output) !== undefined,
    capabilities: () => capabilities,
    async check(name) {
      // The function of a project may do anything.
      await withTimeouts(new AbortController().signal, time, toFailure, () => Promise.resolve(modelFrom(source, name)));
    },
    reply(request, signal) {
      const read = (call: ProviderCall): Promise<ModelAnswer> => {
        const model = modelFrom(source, request.settings.name);
        const target = { provider: settings.provider ?? firstPart(model.provider), capabilities };
        return readReply({ model, request, target, maxBytes, settingNames }, call);
      };
      return withTimeouts(signal, time, toFailure, read, request.onLimits);
    },
    countTokens: () =>
      Promise.reject(modelFailure('Model.Unavailable', 'This provider cannot count tokens', { retryable: false })),
  };

  function toFailure(error: unknown): ReturnType<typeof aiSdkFailure> {
    return aiSdkFailure(error, settingNames);
  }
}

function capabilitiesOf({ supports = {} }: AiSdkSettings): ModelCapabilities {
  const { structuredOutput = false, toolChoice = true, stopSequences = true } = supports;
  return { countsTokens: false, structuredOutput, toolChoice, stopSequences };
}

/** The provider of a model is named `openai.chat`, for example. */
function firstPart(name: string): string {
  return name.split('.', 1)[0] ?? name;
}

const knownVersions: readonly string[] = ['v3', 'v4'];

/** Checks at run time what the compiler cannot know: packages are installed and updated separately. */
function modelFrom(source: AiSdkModelSource, name: string): LanguageModelV3 {
  const model = typeof source === 'function' ? source(name) : source;
  // The adapter uses only what both versions have in common.
  const { specificationVersion: version } = model;
  if (knownVersions.includes(version) && typeof model.doStream === 'function')
    return model as unknown as LanguageModelV3;
  throw modelFailure(
    'Model.Unavailable',
    `The package of the model's provider has version "${version}" of the AI SDK's interface, and Baton needs v3 or v4. Install a version of the package that belongs to version 6 or 7 of the AI SDK.`,
  );
}

interface Reading {
  readonly model: LanguageModelV3;
  readonly request: ModelRequest;
  readonly target: RequestTarget;
  readonly maxBytes: number;
  readonly settingNames: SettingNames;
}

async function readReply(reading: Reading, call: ProviderCall): Promise<ModelAnswer> {
  const { model, request, target, maxBytes, settingNames } = reading;
  const options: LanguageModelV3CallOptions = { ...toCallOptions(request, target), abortSignal: call.signal };
  const stops = stopsFor(request, target.capabilities);
  const assembler = new ReplyAssembler({ provider: target.provider, model: model.modelId, stops, maxBytes });
  const { stream } = await untilAborted(model.doStream(options), call.signal);
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await untilAborted(reader.read(), call.signal);
      if (done) return assembler.finish();
      call.refresh();
      addPart(assembler, value, settingNames);
      const part = request.onPart && partOf(value);
      if (part !== undefined) request.onPart?.(part);
    }
  } finally {
    // A stream that is not read to its end would keep its connection open.
    void reader.cancel().catch(() => undefined);
  }
}

function addPart(assembler: ReplyAssembler, part: LanguageModelV3StreamPart, names: SettingNames): void {
  if (part.type === 'error') throw streamFailure(part.error, names);
  assembler.add(part);
}

/** Returns what people see of a part of the stream; undefined if it is nothing. */
function partOf(part: LanguageModelV3StreamPart): ReplyPart | undefined {
  if (part.type === 'text-delta') return { type: 'text', text: part.delta };
  if (part.type === 'reasoning-delta') return { type: 'thinking', text: part.delta };
  return part.type === 'tool-input-start' ? { type: 'toolCall', name: part.toolName } : undefined;
}

/** Rejects when the call is aborted, also if the provider does not listen to the signal. */
async function untilAborted<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) throw abortError();
  let abort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => {
      reject(abortError());
    };
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function abortError(): Error {
  return new DOMException('The call was aborted', 'AbortError');
}
