import type { ScriptedModel } from '../../testing/scripted-model';

/** Lets the worker use the scripted model in place of every provider that it can play. */
export function scriptedEnvironment({ baseUrl, chatBaseUrl }: ScriptedModel): Record<string, string> {
  return {
    ANTHROPIC_BASE_URL: baseUrl,
    ANTHROPIC_API_KEY: 'scripted',
    BATON_OPENAI_BASE_URL: chatBaseUrl,
    OPENAI_API_KEY: 'scripted',
  };
}
