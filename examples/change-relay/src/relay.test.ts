import { type Harness, startHarness } from 'baton-agents/testing';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { extensions } from './extensions.js';
import { script, tryOut } from './try.js';

let harness: Harness;
before(async () => {
  harness = await startHarness({ ...extensions, script, address: process.env['TEST_SERVER_ADDRESS'] });
});
after(() => harness.close());

test('npm run try prints what the README shows', async () => {
  const lines: string[] = [];
  await tryOut(harness, (line) => lines.push(line));
  assert.ok(readFileSync('README.md', 'utf8').includes(lines.join('\n')), lines.join('\n'));
});

test('the planner gets the constraints of the relay', () => {
  const prompts = harness.model.calls.map(({ request }) => JSON.stringify(request.system));
  const told = prompts.filter((prompt) => prompt.includes('No new dependencies. Every step has a test.'));
  // One prompt, sent twice: with its first turn, and with the result of its tool.
  assert.equal(told.length, 2);
  assert.equal(new Set(told).size, 1);
});
