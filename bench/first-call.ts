import { defaultLimits } from '../domain/agent';
import type { ModelPort } from '../activities/dependencies';
import type { Benchmark } from './runner/benchmark';
import { playRounds } from './runner/pairs';
import { compared } from './runner/rows';
import { newRunId, playRaw, playRun } from './support/runs';
import { batonWorker, rawWorker } from './support/workers';
import { noiseGoal } from './workloads';

const name = 'latency.first_call';

/** Remembers when the model was asked for the last time. */
class RequestClock {
  at = 0;

  watching(model: ModelPort): ModelPort {
    return {
      ...model,
      reply: (request, signal) => {
        this.at = performance.now();
        return model.reply(request, signal);
      },
    };
  }
}

/** From the start of a run until its first request to the model. */
export const firstCall: Benchmark = {
  names: [name],
  about: 'Time from starting a run until the first request to the model, against a loop written by hand.',
  async run(context) {
    const environment = await context.environment('noise');
    const clock = new RequestClock();
    const model = clock.watching(environment.model);
    environment.run(await batonWorker(environment, { watched: model }));
    environment.run(await rawWorker(environment, { model }));
    const goal = noiseGoal({ turns: 0, bytes: 0 });
    const timed = (play: () => Promise<unknown>) => async (): Promise<number> => {
      const start = performance.now();
      await play();
      return clock.at - start;
    };
    const settings = { name: 'claude-sonnet-5-5', maxTokens: 30_000, window: 200_000 };
    const { Baton: values, 'by hand': baselines } = await playRounds(
      context,
      context.rounds(25),
      {
        Baton: timed(() => playRun(environment, { runId: newRunId(), goal, model: settings, limits: defaultLimits })),
        'by hand': timed(() => playRaw(environment, 'rawLoop', goal)),
      },
      (milliseconds) => `${milliseconds.toFixed(1)} ms`,
    );
    return [compared({ name, unit: 'ms', wants: 'less' }, values, baselines)];
  },
};
