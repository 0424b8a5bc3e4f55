import type { ModelPort, ModelRequest } from '../../../activities/dependencies';
import { createAnthropicModel } from '../../../activities/model/anthropic-model';
import type { ToolDescription } from '../../../domain/tool';
import { type Script, type ScriptedModel, startScriptedModel } from '../../../testing/scripted-model';

const opened: ScriptedModel[] = [];

/** The adapter with the real SDK, connected to a scripted model; closed by `closeModels`. */
export async function modelPlaying(script: Script): Promise<{ model: ModelPort; server: ScriptedModel }> {
  const server = await startScriptedModel(script);
  opened.push(server);
  return { model: createAnthropicModel({ apiKey: 'scripted', baseUrl: server.baseUrl }), server };
}

export async function closeModels(): Promise<void> {
  await Promise.all(opened.splice(0).map((server) => server.close()));
}

export const signal = new AbortController().signal;

export const writeFile: ToolDescription = {
  id: 'write_file',
  name: 'write_file',
  description: 'Writes a file.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  success: 'The file is there.',
  cost: 'cheap',
  safeToRepeat: true,
};

export function requestOf(more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    settings: { name: 'claude-sonnet-5-5', maxTokens: 4_000, window: 200_000 },
    system: 'Be brief.',
    tools: [],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Begin.' }] }],
    ...more,
  };
}

export const planFormat = { xml: { root: 'plan', fields: [{ name: 'goal' }] } };
