import { batonRun } from 'baton-agents';
import { createGate, type Harness, say, startHarness } from 'baton-agents/testing';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { script, tryOut, withOrdersWorker } from './try.js';

let harness: Harness;
before(async () => {
  harness = await startHarness({ script, address: process.env['TEST_SERVER_ADDRESS'] });
});
after(() => harness.close());

test('the existing workflow, with an agent in the middle', (suite) =>
  withOrdersWorker(harness, async (taskQueue) => {
    await suite.test('prints with npm run try what the README shows', async () => {
      const lines: string[] = [];
      await tryOut(harness, taskQueue, (line) => lines.push(line));
      assert.ok(readFileSync('README.md', 'utf8').includes(lines.join('\n')), lines.join('\n'));
    });
    await suite.test('cancels the agent when it is cancelled', async () => {
      const gate = createGate();
      harness.model.setScript(() => gate.opened.then(() => say('too late')));
      const earlier = harness.model.calls.length;
      const workflowId = `check-2-${taskQueue}`;
      const args = ['2', harness.taskQueue];
      const workflow = await harness.client.workflow.start('checkOrder', { workflowId, taskQueue, args });
      await harness.model.waitForCall(earlier);
      await workflow.cancel();
      await assert.rejects(workflow.result());
      const { runId } = await workflow.describe();
      assert.equal((await batonRun(harness.client, `order-2-${runId.slice(0, 8)}`).result()).kind, 'cancelled');
    });
  }));
