// To run this file: npm run build && node --test dist/examples/own-tools/report-risk.test.js
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  failFirstAttempts,
  type Harness,
  overloaded,
  say,
  scriptByDepth,
  scriptByTurn,
  startHarness,
  useTool,
} from '../../testing'; // in your own project: 'baton-agents/testing'
import { extensions } from './worker';

const disk = { id: 'R1', text: 'There is one disk', severity: 'high' };

let harness: Harness;
before(async () => {
  harness = await startHarness(extensions);
});
after(() => harness.close());

test('a reported risk is in the session', async () => {
  const run = await harness.run({
    goal: 'Review the project.',
    script: scriptByTurn(useTool('report_risk', disk), say('One risk.')),
  });
  assert.equal(run.answer, 'One risk.');
  assert.deepEqual(run.session.slices['risks'], [disk]);
});

test('the model is told which ids are valid', async () => {
  const run = await harness.run({
    goal: 'Report a risk without a proper id.',
    script: scriptByTurn(useTool('report_risk', { ...disk, id: 'disk' }), say('I could not report it.')),
  });
  const [result] = run.calls[1]?.toolResults ?? [];
  assert.equal(result?.isError, true);
  assert.match(result.text, /"disk" is not a valid risk id/);
  assert.deepEqual(run.session.slices['risks'], []);
});

test('a reviewer knows the risks that were reported before', async () => {
  const review = { mode: 'ad_hoc', prompt_ns: 'example', prompt_key: 'reviewer', instructions: 'Review the backups.' };
  const run = await harness.run({
    goal: 'Let a reviewer look at the backups.',
    script: scriptByDepth(
      scriptByTurn(useTool('report_risk', disk), useTool('dispatch_subagent', review), say('Reviewed.')),
      scriptByTurn(say('The disk matters most.')),
    ),
  });
  const reviewer = run.calls.find(({ depth }) => depth === 1);
  assert.match(reviewer?.systemText ?? '', /You review for risks/);
  assert.match(reviewer?.systemText ?? '', /R1 \(high\): There is one disk/);
});

test('a risk is reported once, although the provider is overloaded at first', async () => {
  const run = await harness.run({
    goal: 'Review the project while the provider is overloaded.',
    script: failFirstAttempts([overloaded()], scriptByTurn(useTool('report_risk', disk), say('One risk.'))),
  });
  assert.deepEqual(
    run.calls.map(({ outcome }) => outcome),
    ['failed', 'answered', 'failed', 'answered'],
  );
  assert.equal(run.session.slices['risks']?.length, 1);
});

test('a run can have a prompt of this project as its root, with exactly the tools that its sections name', async () => {
  const backups = {
    reason: 'Backups are independent of logins.',
    expected_result: 'Risks of the backups.',
    may_delegate_further: 'no',
    recap_lines: ['Read the backup scripts'],
  };
  const run = await harness.run({
    prompt: { ns: 'example', key: 'lead', parameters: { parts: 'backups' } },
    script: scriptByDepth(
      scriptByTurn(useTool('dispatch_subagents', { delegations: [backups] }), say('One risk.')),
      scriptByTurn(useTool('report_risk', disk), say('There is one disk.')),
    ),
  });
  assert.equal(run.answer, 'One risk.');
  assert.match(run.calls[0]?.systemText ?? '', /^## Task\n\nHave these parts .*: backups\.\n/);
  assert.deepEqual(
    run.calls[0]?.request.tools?.map((tool) => ('name' in tool ? tool.name : '')),
    ['report_risk', 'list_files', 'read_file', 'dispatch_subagent', 'dispatch_subagents'],
  );
  assert.deepEqual(run.session.slices['risks'], [disk]);
});
