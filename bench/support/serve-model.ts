import { startScriptedModel, type Script, type ScriptedModelOptions } from '../../testing/scripted-model';

/** Serves a model in this process until it receives SIGTERM or its parent exits. */
export function serveModel(script: Script, options: ScriptedModelOptions = {}): void {
  void startScriptedModel(script, options).then((model) => {
    const stop = (): void => void model.close().then(() => process.exit(0));
    process.once('SIGTERM', stop);
    process.once('disconnect', stop);
    process.send?.({ baseUrl: model.baseUrl });
  });
}
