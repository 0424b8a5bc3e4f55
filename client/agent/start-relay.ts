import type { Client } from '@temporalio/client';
import { parseRelayInput, describeStep, type RelayInput } from '../../domain/relay';
import { startRoot, type StartedRun } from './start-root';

/**
 * Starts a relay, or attaches to the run that already has this id. Returns without waiting for the relay to end.
 *
 * The input has no defaults; `Baton.startRelay` adds them. Throws an error of type `Input.Invalid` before anything is
 * started if the input is invalid.
 *
 * @example
 * const { runId, isNew } = await startRelay(client, 'baton', {
 *   runId: newRunId(),
 *   goal: 'Add OAuth.',
 *   model: chooseModel({}),
 *   limits: defaultLimits,
 *   relay,
 * });
 */
export async function startRelay(client: Client, taskQueue: string, unchecked: RelayInput): Promise<StartedRun> {
  const input = parseRelayInput(unchecked);
  const { goal, relay, model } = input;
  return startRoot(client, taskQueue, input, {
    type: 'relayWorkflow',
    summary: `${relay.name}: ${goal}`,
    details: [
      `- relay: \`${relay.name}\``,
      ...relay.steps.map((step) => `  - ${describeStep(step)}`),
      `- model: \`${model.name}\``,
    ],
    memo: { relay: relay.name },
  });
}
