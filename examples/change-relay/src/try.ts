import { findScenario, type Harness, type Script, startHarness } from 'baton-agents/testing';
import { changeRelay, extensions } from './extensions.js';

/** Runs the relay on `sample/`. */
export async function tryOut(harness: Harness, print: (line: string) => void): Promise<void> {
  const relay = await harness.baton.startRelay({
    relay: await changeRelay(),
    goal: 'Warn about low water',
    workspace: { root: 'sample' },
  });
  for await (const event of relay.events(undefined, { follow: true }))
    if (event.kind === 'delegation.started') print(event.headline);
  print((await relay.result()).kind);
  for (const { change, path } of await relay.changes(harness.store)) print(`${change} ${path}`);
}

/** Plays Baton's researcher, planner, executor and verifier. The first attempt has a mistake, which the verifier finds. */
export const script: Script = (call) => {
  const play = findScenario('feature');
  if (play === undefined) throw new Error('This version of Baton has no such scenario.');
  return play(call);
};

async function main(): Promise<void> {
  const harness = await startHarness({ ...extensions, script });
  try {
    await tryOut(harness, console.log);
  } finally {
    await harness.close();
  }
}

if (require.main === module) void main();
