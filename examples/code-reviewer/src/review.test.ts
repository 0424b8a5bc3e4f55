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

test('every file has a reviewer of its own, and the findings are in an artifact', async () => {
  const run = await harness.run({
    prompt: { ns: 'review', key: 'lead', parameters: { folder: '.' } },
    workspace: { root: 'sample' },
  });
  assert.match(run.answer ?? '', /^3 files reviewed\. To fix today:\n- login\.js: .*\n- prices\.js: .*$/);
  const reviewers = run.calls.filter(({ depth, turn }) => depth === 1 && turn === 0);
  assert.equal(reviewers.length, 3);
  // Each sees the whole task, and may read, but not dispatch again.
  for (const { systemText, request } of reviewers) {
    assert.match(systemText, /Have every source file in `\.` reviewed/);
    assert.ok(request.tools?.every((tool) => !('name' in tool) || !tool.name.startsWith('dispatch_')));
  }
  const artifacts = await run.handle.artifacts();
  assert.deepEqual(
    artifacts.map(({ name }) => name),
    ['REVIEW.md'],
  );
});
