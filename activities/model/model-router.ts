import type { OutputFormat } from '../../domain/prompt/output';
import { InvalidInputError } from '../../domain/kernel';
import { defaultProvider, parseModelName } from '../../domain/model';
import { isNative, type ModelPort, type ModelRequest } from '../dependencies';
import { modelFailure } from './provider-failure';

/**
 * Creates a model port that serves the models of several providers. The prefix of a model's name, such as `openai` in
 * `openai:gpt-5`, selects the port, which receives the name without the prefix. A name without a prefix is a model of
 * `anthropic`.
 *
 * @example
 * ```ts
 * import { createAnthropicModel, createModelRouter, createOpenAiCompatibleModel } from 'baton-agents/worker';
 *
 * export const model = createModelRouter({
 *   anthropic: createAnthropicModel({ apiKey: process.env['ANTHROPIC_API_KEY'] }),
 *   local: createOpenAiCompatibleModel({ baseUrl: 'http://127.0.0.1:8000/v1' }),
 * });
 * ```
 */
export function createModelRouter(ports: Readonly<Record<string, ModelPort>>): ModelPort {
  const find = (name: string): Route => routeFor(ports, name);
  return {
    nativeStructuredOutput: (output, name) => supportsNatively(ports, output, name),
    capabilities(name) {
      const { port, model } = find(name);
      return port.capabilities?.(model) ?? allCapabilities;
    },
    async check(name) {
      const { port, model } = find(name);
      await port.check?.(model);
    },
    async reply(request, signal) {
      const { port, model } = find(request.settings.name);
      return port.reply(withName(request, model), signal);
    },
    async countTokens(request, signal) {
      const { port, model } = find(request.settings.name);
      return port.countTokens(withName(request, model), signal);
    },
  };
}

/**
 * Returns the port of a worker. A single port receives names as they are; with providers, their prefixes select the port,
 * and names without a prefix are those of `model`. Throws if there is neither.
 */
export function joinProviders(
  model: ModelPort | undefined,
  providers: Readonly<Record<string, ModelPort>> | undefined,
): ModelPort {
  if (providers !== undefined)
    return createModelRouter({ ...(model === undefined ? {} : { [defaultProvider]: model }), ...providers });
  if (model !== undefined) return model;
  throw new InvalidInputError('model', 'the worker has none', 'Pass `model` or `providers`.');
}

/** Capabilities of a port that does not report them. */
const allCapabilities = { countsTokens: true, structuredOutput: true, toolChoice: true, stopSequences: true };

interface Route {
  readonly port: ModelPort;
  /** Name of the model without its prefix. */
  readonly model: string;
}

function routeFor(ports: Readonly<Record<string, ModelPort>>, name: string): Route {
  const { provider, model } = parseModelName(name);
  const port = Object.hasOwn(ports, provider) ? ports[provider] : undefined;
  if (port !== undefined) return { port, model };
  const known = Object.keys(ports).sort().join(', ');
  throw modelFailure(
    'Model.Unavailable',
    `This worker knows no provider "${provider}", which the model "${name}" names. Use one of these prefixes: ${known}.`,
  );
}

/** A prompt is rendered before its model is checked, so an unknown provider is not an error here. */
function supportsNatively(ports: Readonly<Record<string, ModelPort>>, output: OutputFormat, name: string): boolean {
  const { provider, model } = parseModelName(name);
  const port = Object.hasOwn(ports, provider) ? ports[provider] : undefined;
  return port !== undefined && isNative(port, output, model);
}

function withName(request: ModelRequest, name: string): ModelRequest {
  return { ...request, settings: { ...request.settings, name } };
}
