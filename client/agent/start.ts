import type { Client } from '@temporalio/client';
import { parseRunInput, type RunInput } from '../../domain/agent/contract';
import { startRoot, type StartedRun } from './start-root';

/**
 * Starts a run, or attaches to the run that already has this id. Returns without waiting for the run to end.
 *
 * The input has no defaults; `Baton.startRun` adds them. Throws an error of type `Input.Invalid` before anything is
 * started if the input is invalid.
 *
 * @example
 * const { runId, isNew } = await startRun(client, 'baton', {
 *   runId: 'licenses-7',
 *   goal: 'List the licenses of all dependencies.',
 *   model: chooseModel({}),
 *   limits: defaultLimits,
 * });
 */
export async function startRun(client: Client, taskQueue: string, unchecked: RunInput): Promise<StartedRun> {
  const input = parseRunInput(unchecked);
  const { goal, model, limits } = input;
  return startRoot(client, taskQueue, input, {
    type: 'runWorkflow',
    summary: goal,
    details: [`- model: \`${model.name}\``, `- turns: at most ${limits.maxTurns}`],
  });
}
