import { type Harness, startHarness } from 'baton-agents/testing';
import { extensions } from './extensions.js';
import { script } from './script.js';

/** Labels the three tickets. */
export async function tryOut(harness: Harness, print: (line: string) => void): Promise<void> {
  const run = await harness.run({ prompt: { ns: 'support', key: 'triage', parameters: {} }, script });
  const tools = run.calls[0]?.request.tools ?? [];
  print(`tools: ${tools.map((tool) => ('name' in tool ? tool.name : '')).join(', ')}`);
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
