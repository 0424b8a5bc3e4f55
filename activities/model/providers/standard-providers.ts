import type { ApplicationFailure } from '@temporalio/common';
import { InvalidInputError } from '../../../domain/kernel';
import type { ModelPort } from '../../dependencies';
import { type AiSdkLanguageModel, createAiSdkModel } from '../ai-sdk/ai-sdk-model';
import { schemaOf } from '../ai-sdk/call-options';
import { boundedFetch } from '../bounded-fetch';
import { modelFailure } from '../provider-failure';
import { callLimits, type CallLimitSettings } from '../with-timeouts';
import { lazyModel } from './lazy-model';
import { isInstalled, loadPackage } from './load-package';
import { createOpenAiCompatibleModel } from './openai-compatible-model';
import { type ChatServer, chatServers, type ProviderPackage, providerPackages } from './provider-table';

/** Where providers find their settings. */
export interface ProviderEnvironment extends CallLimitSettings {
  /** Environment variables with keys and base URLs. Packages of providers read them from `process.env` themselves. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder of the project in which packages of providers are installed. */
  readonly folder: string;
}

/**
 * Creates the model ports of all providers that Baton knows by name, except Anthropic, by the prefix of their models. A
 * package is loaded when one of its models is used. A model whose package or key is missing is refused with a message
 * that says what to do.
 */
export function standardProviders(environment: ProviderEnvironment): Readonly<Record<string, ModelPort>> {
  return Object.fromEntries([
    ...Object.entries(chatServers).map(([prefix, server]) => [prefix, chatModel(prefix, server, environment)]),
    ...Object.entries(providerPackages).map(([prefix, each]) => [prefix, packageModel(prefix, each, environment)]),
  ]) as Record<string, ModelPort>;
}

function chatModel(prefix: string, server: ChatServer, environment: ProviderEnvironment): ModelPort {
  const { env, folder, ...limits } = environment;
  const { baseUrlVariable, keyVariable, preferred } = server;
  const ownUrl = env[baseUrlVariable] || undefined;
  if (ownUrl === undefined && preferred !== undefined && isInstalled(preferred.name, folder))
    return packageModel(prefix, preferred, environment);
  const apiKey = keyVariable === undefined ? undefined : env[keyVariable] || undefined;
  const structuredOutput = ownUrl === undefined && preferred?.structuredOutput === true;
  const port = createOpenAiCompatibleModel({
    ...limits,
    provider: prefix,
    baseUrl: withPath(ownUrl ?? server.baseUrl, baseUrlVariable),
    apiKey,
    // OpenAI's own servers reject the older field for some models, other servers may not know the newer one.
    maxTokensField: ownUrl === undefined && prefix === 'openai' ? 'max_completion_tokens' : 'max_tokens',
    supports: { structuredOutput },
    settingNames: { apiKey: keyVariable, baseUrl: baseUrlVariable },
  });
  // A server at another address may need no key. It says so itself.
  if (keyVariable === undefined || apiKey !== undefined || ownUrl !== undefined) return port;
  return refusing(port, () =>
    missingCredentials(prefix, [[keyVariable]], `, or ${baseUrlVariable} if your server needs no key,`),
  );
}

/** Base URLs of local servers are often given without a path. */
function withPath(baseUrl: string, variable: string): string {
  if (!URL.canParse(baseUrl)) {
    throw new InvalidInputError(variable, 'it is not an address', 'Use one like http://127.0.0.1:8000/v1.');
  }
  const url = new URL(baseUrl);
  return url.pathname === '/' ? new URL('/v1', url).href : baseUrl;
}

/** Returns a port that refuses every call. */
function refusing(port: ModelPort, failure: () => ApplicationFailure): ModelPort {
  const refuse = (): Promise<never> => Promise.reject(failure());
  return { ...port, check: refuse, reply: refuse, countTokens: refuse };
}

function packageModel(prefix: string, provider: ProviderPackage, environment: ProviderEnvironment): ModelPort {
  const { structuredOutput } = provider;
  return lazyModel({
    capabilities: { countsTokens: false, structuredOutput, toolChoice: true, stopSequences: true },
    nativeStructuredOutput: (output) => structuredOutput && schemaOf(output) !== undefined,
    load: () => loadModel(prefix, provider, environment),
  });
}

async function loadModel(
  prefix: string,
  { name, major, factory, credentials, structuredOutput }: ProviderPackage,
  { env, folder, ...limits }: ProviderEnvironment,
): Promise<ModelPort> {
  const install = `npm install ${name}@${major}`;
  const loaded = await tryLoad(name, folder, install);
  if (loaded === undefined) {
    throw unavailable(
      `Models with the prefix "${prefix}" need the package ${name}, which is not installed. Install it where the worker runs: ${install}`,
    );
  }
  if (!credentials.some((names) => names.every((each) => (env[each] ?? '') !== '')))
    throw missingCredentials(prefix, credentials);
  const create = (loaded as Readonly<Record<string, unknown>>)[factory];
  if (typeof create !== 'function')
    throw unavailable(
      `The installed version of ${name} has no "${factory}". Install the one that Baton knows: ${install}`,
    );
  const provider = (create as Factory)({ fetch: boundedFetch(callLimits(limits).maxBytes) });
  const model = typeof provider === 'function' ? provider : provider.languageModel.bind(provider);
  const [[apiKey] = []] = credentials;
  return createAiSdkModel(model, {
    ...limits,
    provider: prefix,
    supports: { structuredOutput },
    settingNames: { apiKey },
  });
}

type CreateModel = (modelId: string) => AiSdkLanguageModel;
type Factory = (options: { fetch: typeof fetch }) => CreateModel | { readonly languageModel: CreateModel };

async function tryLoad(name: string, folder: string, install: string): Promise<object | undefined> {
  try {
    return await loadPackage(name, folder);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw unavailable(
      `The package ${name} is installed but cannot be loaded (${reason}). Install it again: ${install}`,
    );
  }
}

function unavailable(message: string): ApplicationFailure {
  return modelFailure('Model.Unavailable', message);
}

function missingCredentials(
  prefix: string,
  credentials: readonly (readonly string[])[],
  alternative = '',
): ApplicationFailure {
  const names = credentials.map((list) => list.join(' and ')).join(', or ');
  return modelFailure(
    'Model.Unauthorized',
    `The worker has no credentials for models with the prefix "${prefix}". Set ${names}${alternative} for the worker and restart it, then start the run again.`,
  );
}
