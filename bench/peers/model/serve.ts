// Serves the scripted model in a process of its own, and tells its parent when requests arrive and answers are sent.
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { startScriptedModel } from '../../../testing/scripted-model';
import type { FromModel, ToModel } from './messages';
import { peerScript } from './script';

/** No conversation is too long for it. */
const model = { id: 'claude-sonnet-5-5', maxInputTokens: 100_000_000, maxTokens: 128_000 };

const tell = (message: FromModel): void => void process.send?.(message);
const isCall = ({ method, url = '' }: IncomingMessage): boolean =>
  method === 'POST' && /\/(messages|chat\/completions)(\?|$)/.test(url);
const report =
  (kind: 'arrived' | 'answered') =>
  (event: unknown): void => {
    if (isCall((event as { request: IncomingMessage }).request)) tell({ kind, at: performance.now() });
  };

let pauses: ReadonlySet<number> = new Set();
let hangsIn = -1;
let proceed: () => void = () => undefined;

async function onTurn(turn: number): Promise<void> {
  if (turn === hangsIn) {
    hangsIn = -1;
    tell({ kind: 'hangs', turn });
    await new Promise(() => undefined);
  }
  if (!pauses.has(turn)) return;
  const proceeded = new Promise<void>((resolve) => (proceed = resolve));
  tell({ kind: 'pauses', turn });
  await proceeded;
}

subscribe('http.server.request.start', report('arrived'));
subscribe('http.server.response.finish', report('answered'));
void startScriptedModel(peerScript(onTurn), { models: [model] }).then((server) => {
  process.on('message', (message: ToModel) => {
    if (message.kind === 'proceed') {
      proceed();
      return;
    }
    pauses = new Set(message.pauses);
    hangsIn = message.hangsIn ?? -1;
    tell({ kind: 'ready', messages: server.baseUrl, chat: server.chatBaseUrl, name: model.id });
  });
  const stop = (): void => void server.close().then(() => process.exit(0));
  process.once('SIGTERM', stop);
  process.once('disconnect', stop);
  // Sent by the terminal to the whole group. The parent ends this process when it no longer needs it.
  process.on('SIGINT', () => undefined);
});
