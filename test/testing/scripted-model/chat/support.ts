import {
  type Script,
  type ScriptedModel,
  type ScriptedModelOptions,
  startScriptedModel,
} from '../../../../testing/scripted-model';

const open: ScriptedModel[] = [];

/** A server that is closed by `closeAll`. */
export async function start(script: Script, options: ScriptedModelOptions = {}): Promise<ScriptedModel> {
  const model = await startScriptedModel(script, options);
  open.push(model);
  return model;
}

export async function closeAll(): Promise<void> {
  await Promise.all(open.splice(0).map((model) => model.close()));
}

export const ask = (text: string, more: object = {}): object => ({
  model: 'scripted',
  messages: [{ role: 'user', content: text }],
  ...more,
});

export const tool = (name: string): object => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: {} } },
});

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    readonly choices: readonly {
      readonly message: { readonly content: string | null; readonly tool_calls?: readonly object[] };
      readonly finish_reason: string;
    }[];
    readonly usage: object;
    readonly error: {
      readonly message: string;
      readonly type: string;
      readonly code: unknown;
      readonly param: unknown;
    };
  };
}

async function post({ chatBaseUrl }: ScriptedModel, body: object, key?: string): Promise<Response> {
  return fetch(`${chatBaseUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) },
    body: JSON.stringify(body),
  });
}

export async function complete(model: ScriptedModel, body: object, key?: string): Promise<Reply> {
  const response = await post(model, body, key);
  return { status: response.status, headers: response.headers, body: (await response.json()) as Reply['body'] };
}

/** The data of all events of a stream. */
export async function streamed(model: ScriptedModel, body: object): Promise<readonly string[]> {
  const text = await (await post(model, { ...body, stream: true })).text();
  return text
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => event.slice('data: '.length));
}
