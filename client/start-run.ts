import type { Client } from '@temporalio/client';
import { parseRunInput, type RunInput } from '../domain/run/input';
import { startRoot, type StartedRun } from './start-root';

/** Starts a run, or attaches to the one that has this id already. */
export async function startRun(client: Client, taskQueue: string, unchecked: RunInput): Promise<StartedRun> {
  const input = parseRunInput(unchecked);
  const { goal, model, limits } = input;
  return startRoot(client, taskQueue, input, {
    type: 'runWorkflow',
    summary: goal,
    details: [`- model: \`${model.name}\``, `- turns: at most ${limits.maxTurns}`],
  });
}
