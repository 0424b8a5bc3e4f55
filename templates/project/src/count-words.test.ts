import { type Harness, say, scriptByDepth, scriptByTurn, startHarness, useTool } from 'baton-agents/testing';
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { extensions } from './extensions.js';

// A real Temporal server and a real worker; only the model is scripted. The first start may have to get the server.
let harness: Harness;
before(async () => {
  harness = await startHarness(extensions);
});
after(() => harness.close());

test('an agent counts words with the tool', async () => {
  const run = await harness.run({
    goal: 'How many words has "to be or not to be"?',
    script: scriptByTurn(useTool('count_words', { text: 'to be or not to be' }), (call) =>
      say(`It has ${call.toolResults[0]?.text}.`),
    ),
  });
  assert.equal(run.answer, 'It has 6 words, 18 characters.');
});

test('an empty text is refused in words that help the model', async () => {
  const run = await harness.run({
    goal: 'Count nothing.',
    script: scriptByTurn(useTool('count_words', { text: ' ' }), say('There was nothing to count.')),
  });
  assert.equal(run.calls[1]?.toolResults[0]?.isError, true);
  assert.match(run.calls[1]?.toolResults[0]?.text ?? '', /The text is empty/);
});

test('the editor skill has the tool', async () => {
  const run = await harness.run({
    goal: 'Shorten "It is very, very cold." to three words.',
    script: scriptByDepth(
      scriptByTurn(
        useTool('dispatch_skill', { skill: 'editor', input: { goal: 'Shorten: very, very cold.' } }),
        (call) => say(call.toolResults[0]?.text ?? ''),
      ),
      scriptByTurn(
        useTool('count_words', { text: 'It is cold.' }),
        say('<response><answer>It is cold.</answer></response>'),
      ),
    ),
  });
  assert.match(run.answer ?? '', /It is cold\./);
  const editor = run.calls.find(({ depth }) => depth === 1);
  assert.match(editor?.systemText ?? '', /You are an editor/);
});
