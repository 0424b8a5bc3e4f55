import type { Settings } from '../../temporal-config/node/settings';

/** What the check found, in the form of every check. */
interface ServerFinding {
  readonly state: 'ok' | 'fail';
  readonly detail: string;
  readonly fix?: string;
}

/**
 * Asks a server that speaks the Chat Completions API for its models. Servers without an address of their own are checked
 * by the worker, when a run starts.
 */
export async function checkChatServer(
  { openAiBaseUrl, ollamaBaseUrl = 'http://127.0.0.1:11434' }: Settings,
  provider: string,
  model: string,
): Promise<ServerFinding> {
  const servers: Readonly<Record<string, readonly [string | undefined, string]>> = {
    openai: [openAiBaseUrl, 'BATON_OPENAI_BASE_URL'],
    ollama: [ollamaBaseUrl, 'OLLAMA_BASE_URL'],
  };
  const [baseUrl, variable] = (Object.hasOwn(servers, provider) ? servers[provider] : undefined) ?? [];
  if (baseUrl === undefined || variable === undefined)
    return { state: 'ok', detail: `${provider}:${model} is checked by the worker when a run starts` };
  const url = `${baseUrl.replace(/\/$/, '')}${new URL(baseUrl).pathname === '/' ? '/v1' : ''}/models`;
  const key = process.env['OPENAI_API_KEY'] ?? '';
  const headers: Record<string, string> = provider === 'openai' && key !== '' ? { authorization: `Bearer ${key}` } : {};
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(10_000) }).catch(() => undefined);
  if (response === undefined)
    return { state: 'fail', detail: `${baseUrl} can't be reached`, fix: `Start the server, and check ${variable}.` };
  if (response.ok) return { state: 'ok', detail: `${provider}:${model} at ${baseUrl}` };
  return { state: 'fail', detail: `${baseUrl} answered ${response.status}`, fix: `Check ${variable} and the key.` };
}
