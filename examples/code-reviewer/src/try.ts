import { type Harness, startHarness } from 'baton-agents/testing';
import { extensions } from './extensions.js';
import { script } from './script.js';

/** Reviews the files in `sample/`. */
export async function tryOut(harness: Harness, print: (line: string) => void): Promise<void> {
  const run = await harness.run({
    prompt: { ns: 'review', key: 'lead', parameters: { folder: '.' } },
    workspace: { root: 'sample' },
    script,
  });
  const started = run.events.flatMap((event) => (event.kind === 'delegation.started' ? [event.headline] : []));
  print(`${started.length} reviewers at once: ${started.sort().join(' ')}`);
  print(run.answer ?? run.outcome.kind);
}

async function main(): Promise<void> {
  const harness = await startHarness(extensions);
  try {
    await tryOut(harness, console.log);
  } finally {
    await harness.close();
  }
}

if (require.main === module) void main();
