import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CallRecord, RejectedRequest } from './call-log';
import { countAnswered, formatOf, route } from './handlers/route';
import type { Script } from './script';
import { createState, type ScriptedModelOptions, type ServerState } from './state';
import type { Exchange } from './wire/exchange';

/** A running server that plays the model. */
export interface ScriptedModel {
  /** Address to use as the provider's base URL, for example in `ANTHROPIC_BASE_URL`. */
  readonly baseUrl: string;
  /** Base URL for clients of the Chat Completions API, for example in `BATON_OPENAI_BASE_URL`. */
  readonly chatBaseUrl: string;
  /** Port that the server listens on. */
  readonly port: number;
  /** Requests to create a message that reached the script, in order of arrival. */
  readonly calls: readonly CallRecord[];
  /** Requests that were refused, for example because of a wrong key, an unknown model or an invalid body. */
  readonly rejected: readonly RejectedRequest[];
  /** Number of calls whose reply was sent completely. */
  readonly answered: number;
  /** Replaces the script, from the next call on. */
  setScript(script: Script): void;
  /** Resolves with the call of this index once it has arrived. */
  waitForCall(index: number): Promise<CallRecord>;
  /** Resolves with the call of this index once it is no longer pending. */
  waitForOutcome(index: number): Promise<CallRecord>;
  /** Closes the server and all connections immediately. */
  close(): Promise<void>;
}

/**
 * Starts a server on loopback that implements the Messages API and the Chat Completions API, and replies with the script.
 * It checks requests as strictly as these APIs do. A harness starts one by itself; start one here to test something else that calls the API.
 *
 * @example
 * ```ts
 * import { say, startScriptedModel } from 'baton-agents/testing';
 *
 * export async function main(): Promise<void> {
 *   const model = await startScriptedModel((call) => say(`You said: ${call.lastUserText}`));
 *   process.env['ANTHROPIC_BASE_URL'] = model.baseUrl;
 *   // … whatever calls the API …
 *   await model.close();
 * }
 * ```
 */
export async function startScriptedModel(script: Script, options: ScriptedModelOptions = {}): Promise<ScriptedModel> {
  const state = createState(script, options);
  const server = createServer((request, response) => {
    void route(state, open(request, response));
  });
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  return handleOf(state, server);
}

function handleOf(state: ServerState, server: Server): ScriptedModel {
  const { port } = server.address() as AddressInfo;
  const { log } = state;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    chatBaseUrl: `http://127.0.0.1:${port}/v1`,
    port,
    calls: log.calls,
    rejected: log.rejected,
    get answered() {
      return countAnswered(log.calls);
    },
    setScript: (script) => {
      state.script = script;
    },
    waitForCall: (index) => log.waitFor(index, () => true),
    waitForOutcome: (index) => log.waitFor(index, (call) => call.outcome !== 'pending'),
    close: async () => {
      log.close();
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function open(request: IncomingMessage, response: ServerResponse): Exchange {
  const gone = new AbortController();
  response.on('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  const requestId = `req_${randomUUID().replaceAll('-', '')}`;
  return { request, response, requestId, format: formatOf(request), signal: gone.signal };
}
