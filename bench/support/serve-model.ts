import { startScriptedModel, type Script, type ScriptedModelOptions } from '../../scripted-model';

/** What the process of a measurement's model does: answers by the script until it is told to stop, or its parent is gone. */
export function serveModel(script: Script, options: ScriptedModelOptions = {}): void {
  void startScriptedModel(script, options).then((model) => {
    const stop = (): void => void model.close().then(() => process.exit(0));
    process.once('SIGTERM', stop);
    process.once('disconnect', stop);
    process.send?.({ baseUrl: model.baseUrl });
  });
}
