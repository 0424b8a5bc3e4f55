import { builtInTools } from '../../activities/tool/builtin';
import type { BenchEnvironment } from './environment';
import { TurnProbe } from './turn-probe';
import { batonWorker, rawWorker } from './workers';

/** Starts a worker for Baton and one for hand-written workflows, whose agents make noise. Returns what watches them. */
export async function noiseWorkers(environment: BenchEnvironment): Promise<TurnProbe> {
  const probe = new TurnProbe();
  const model = probe.watching(environment.model);
  environment.run(await batonWorker(environment, { tools: [probe.tool], watched: model }));
  environment.run(
    await rawWorker(environment, {
      model,
      tools: [...builtInTools, probe.tool].map(({ description }) => description),
      runTool: probe.runTool,
    }),
  );
  return probe;
}
