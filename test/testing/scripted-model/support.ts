import Anthropic from '@anthropic-ai/sdk';
import { startScriptedModel } from '../../../testing/scripted-model';
import type { Script, ScriptedModel, ScriptedModelOptions } from '../../../testing/scripted-model';

type Request = Anthropic.MessageCreateParamsNonStreaming;

export const modelName = 'claude-opus-5-5';

export const tool = (name: string): Anthropic.Tool => ({ name, description: name, input_schema: { type: 'object' } });

export const ask = (text: string, more: Partial<Request> = {}): Request => ({
  model: modelName,
  max_tokens: 1000,
  messages: [{ role: 'user', content: text }],
  ...more,
});

const open: ScriptedModel[] = [];

/** A server and a real client for it; closed by `closeAll`. */
export async function start(
  script: Script,
  options: ScriptedModelOptions = {},
): Promise<{ model: ScriptedModel; client: Anthropic }> {
  const model = await startScriptedModel(script, options);
  open.push(model);
  return { model, client: clientOf(model) };
}

export function clientOf({ baseUrl: baseURL }: ScriptedModel, apiKey = 'any'): Anthropic {
  return new Anthropic({ apiKey, baseURL, maxRetries: 0 });
}

export async function closeAll(): Promise<void> {
  await Promise.all(open.splice(0).map((model) => model.close()));
}

export async function errorOf(promise: Promise<unknown>): Promise<InstanceType<typeof Anthropic.APIError>> {
  const error = await promise.then(
    () => new Error('Expected a failure'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof Anthropic.APIError)) throw error as Error;
  return error;
}
