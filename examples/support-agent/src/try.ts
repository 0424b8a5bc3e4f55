import { type Harness, startHarness } from 'baton-agents/testing';
import { extensions } from './extensions.js';
import { script } from './script.js';

/** Answers two guests. The second booking waits for a person, whom this program plays. */
export async function tryOut({ baton }: Harness, print: (line: string) => void): Promise<void> {
  for (const message of ['A table for 2, please.', 'Can we come tonight, a table for 12?']) {
    print(`guest: ${message}`);
    const run = await baton.startRun({ prompt: { ns: 'restaurant', key: 'support', parameters: { message } } });
    for await (const event of run.events(undefined, { follow: true })) {
      if (event.kind !== 'agent.parked') continue;
      const [incident] = (await run.snapshot())?.incidents ?? [];
      print(`waits: ${incident?.message ?? event.message}`);
      await run.decide(null, { action: 'approve', incident: event.incident, by: 'the chef' });
      print('the chef approves');
    }
    const outcome = await run.result();
    if (outcome.kind !== 'completed') throw new Error(`The run ended as ${outcome.kind}.`);
    // A long answer is a ref into the store. This one is short.
    if ('text' in outcome.result.answer) print(`agent: ${outcome.result.answer.text}`);
  }
}

async function main(): Promise<void> {
  const harness = await startHarness({ ...extensions, script });
  try {
    await tryOut(harness, console.log);
  } finally {
    await harness.close();
  }
}

if (require.main === module) void main();
