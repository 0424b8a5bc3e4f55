import type { ModelPort, ModelRequest } from '../../../../activities/dependencies';
import { createAnthropicModel } from '../../../../activities/model/anthropic-model';
import { createOpenAiCompatibleModel } from '../../../../activities/model/providers/openai-compatible-model';
import type { CallLimitSettings } from '../../../../activities/model/with-timeouts';
import type { ToolDescription } from '../../../../domain/tool';

/** An adapter, and what it needs to call a server. */
export interface Adapter {
  readonly name: string;
  /** Name of its provider data. */
  readonly provider: string;
  readonly model: string;
  create(server: Server, settings?: CallLimitSettings & { readonly apiKey?: string }): ModelPort;
}

interface Server {
  readonly baseUrl: string;
  readonly chatBaseUrl: string;
}

export const adapters: readonly Adapter[] = [
  {
    name: 'Messages',
    provider: 'anthropic',
    model: 'claude-sonnet-4-6',
    create: ({ baseUrl }, settings) => createAnthropicModel({ apiKey: 'scripted', baseUrl, ...settings }),
  },
  {
    name: 'Chat Completions',
    provider: 'openai',
    model: 'scripted',
    create: ({ chatBaseUrl: baseUrl }, settings) =>
      createOpenAiCompatibleModel({ baseUrl, apiKey: 'scripted', ...settings }),
  },
];

export const signal = new AbortController().signal;

export const look: ToolDescription = {
  id: 'look',
  name: 'look',
  description: 'Looks at a place.',
  inputSchema: { type: 'object', properties: { at: { type: 'string' } } },
  success: 'It was seen.',
  cost: 'cheap',
  safeToRepeat: true,
};

export function requestTo(name: string, more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    settings: { name, maxTokens: 4_000, window: 200_000 },
    system: 'Be brief.',
    tools: [],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Begin.' }] }],
    ...more,
  };
}

/** The failure of a call. A call that succeeds is an error. */
export async function failureOf(work: Promise<unknown>): Promise<object> {
  const error = await work.then(
    () => new Error('Expected a failure'),
    (reason: unknown) => reason,
  );
  if (typeof error !== 'object' || error === null) throw new Error(String(error));
  return error;
}
