import { type Harness, startHarness } from 'baton-agents/testing';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { extensions } from './extensions.js';
import { script } from './script.js';
import { tryOut } from './try.js';

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

test('the labels are in the tracker: the next run finds no ticket', async () => {
  const run = await harness.run({ prompt: { ns: 'support', key: 'triage', parameters: {} } });
  assert.equal(run.calls[1]?.toolResults[0]?.text, '[]');
  assert.equal(run.answer, 'There is nothing to do.');
});
