import { startScriptedModel } from '../../testing/scripted-model';
import { findScript } from '../models';

/** No conversation of a benchmark is too long for it. */
const boundless = { id: 'claude-sonnet-5-5', maxInputTokens: 100_000_000, maxTokens: 128_000 };

const noScript = (): never => {
  throw new Error('The benchmark has not chosen a script');
};

/** Serves a model until this process receives SIGTERM or its parent exits. Its parent names the script to play. */
void startScriptedModel(noScript, { models: [boundless] }).then((model) => {
  const answer = (): void => void process.send?.({ baseUrl: model.baseUrl });
  const stop = (): void => void model.close().then(() => process.exit(0));
  process.on('message', ({ script }: { script: string }) => {
    model.setScript(findScript(script));
    answer();
  });
  process.once('SIGTERM', stop);
  process.once('disconnect', stop);
  // Sent by the terminal to the whole group. The parent ends this process when it no longer needs it.
  process.on('SIGINT', () => undefined);
  answer();
});
