import type { Client } from '@temporalio/client';
import { parseRelayInput, stepInWords, type RelayInput } from '../domain/relay';
import { startRoot, type StartedRun } from './start-root';

/** Starts a relay, or attaches to the run that has this id already. */
export async function startRelay(client: Client, taskQueue: string, unchecked: RelayInput): Promise<StartedRun> {
  const input = parseRelayInput(unchecked);
  const { goal, relay, model } = input;
  return startRoot(client, taskQueue, input, {
    type: 'relayWorkflow',
    summary: `${relay.name}: ${goal}`,
    details: [
      `- relay: \`${relay.name}\``,
      ...relay.steps.map((step) => `  - ${stepInWords(step)}`),
      `- model: \`${model.name}\``,
    ],
    memo: { relay: relay.name },
  });
}
