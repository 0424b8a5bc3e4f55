import { type Harness, startHarness } from 'baton-agents/testing';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { bookingsInMemory } from './bookings.js';
import { extensionsFor } from './extensions.js';
import { script } from './script.js';
import { tryOut } from './try.js';

const bookings = bookingsInMemory();
let harness: Harness;
before(async () => {
  const address = process.env['TEST_SERVER_ADDRESS'];
  harness = await startHarness({ ...extensionsFor(bookings), script, address });
});
after(() => harness.close());

const guest = (message: string) => ({ prompt: { ns: 'restaurant', key: 'support', parameters: { message } } });

test('npm run try prints what the README shows', async () => {
  const lines: string[] = [];
  await tryOut(harness, (line) => lines.push(line));
  assert.equal(bookings.all.size, 2);
  assert.ok(readFileSync('README.md', 'utf8').includes(lines.join('\n')), lines.join('\n'));
});

test('a large party waits for a person, and the guest is told if that person says no', async () => {
  const run = await harness.baton.startRun(guest('A table for 12, please.'));
  for await (const event of run.events(undefined, { follow: true })) {
    if (event.kind !== 'agent.parked') continue;
    assert.match((await run.why()).message, /The kitchen has to agree\./);
    assert.equal(bookings.all.size, 2);
    await run.decide(null, { action: 'deny', incident: event.incident, by: 'the chef', note: 'The fish is out.' });
  }
  const outcome = await run.result();
  assert.match(JSON.stringify(outcome), /I am sorry, we can't do that tonight\. .*The fish is out\./);
  assert.equal(bookings.all.size, 2);
});
