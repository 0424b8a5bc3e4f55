import { readArtifactTool, writeArtifactTool } from '../../../../activities/tool/builtin/artifact-tools';
import { addNoteTool, addPlanStepsTool, updatePlanStepTool } from '../../../../activities/tool/builtin/plan-tools';
import { sha256 } from '../../../../store/blobs';
import { ToolRunner } from './support';

describe('artifacts', () => {
  test('are stored, and recorded under their name', async () => {
    const runner = new ToolRunner();
    const { message, events } = await runner.run(writeArtifactTool, { name: 'report.md', content: '# Done' });
    const ref = { hash: sha256('# Done'), bytes: 6, mediaType: 'text/markdown' };
    expect(message).toBe('Wrote artifact "report.md" (6 bytes).');
    expect(events).toEqual([{ type: 'artifactWritten', value: { name: 'report.md', ref, by: 'run/r1' } }]);
    runner.artifacts.push({ name: 'report.md', ref });
    expect(await runner.say(readArtifactTool, { name: 'report.md' })).toBe('# Done');
  });

  test('are read in parts; the newest of a name counts', async () => {
    const runner = new ToolRunner();
    for (const text of ['old', 'one\ntwo\nthree\n']) {
      runner.artifacts.push({ name: 'a', ref: await runner.store.put(Buffer.from(text), 'text/plain') });
    }
    expect(await runner.say(readArtifactTool, { name: 'a', offset: 2, limit: 1 })).toBe(
      'two\n\n[lines 2 to 2 of 3; continue with offset 3]',
    );
    expect(await runner.refusal(readArtifactTool, { name: 'a', offset: 9 })).toBe('Artifact "a" has only 3 lines.');
  });

  test('that do not exist are refused with a list of those that do', async () => {
    const runner = new ToolRunner();
    expect(await runner.refusal(readArtifactTool, { name: 'x' })).toMatch(/no artifacts have been written yet/);
    runner.artifacts.push({ name: 'a', ref: await runner.store.put(Buffer.from([0xff]), 'image/png') });
    expect(await runner.refusal(readArtifactTool, { name: 'x' })).toBe('Unknown artifact "x". Available: a.');
  });

  test('that are not text are read in base64, in parts if they are long', async () => {
    const runner = new ToolRunner();
    const bytes = Buffer.from([0xff, 0xfe, 0x00, 0x80, 0x81, 0x82]);
    runner.artifacts.push({ name: 'a', ref: await runner.store.put(bytes, 'image/png') });
    const heading = '[not text: 6 bytes, here in base64]\n';
    expect(await runner.say(readArtifactTool, { name: 'a' })).toBe(`${heading}${bytes.toString('base64')}`);
    expect(await runner.say(readArtifactTool, { name: 'a', from_character: 4, characters: 2 })).toBe(
      `${heading}gI\n[characters 4 to 5 of 8; continue with from_character 6]`,
    );
  });

  test.each(['../x', '/x', 'a//b', '', 'x'.repeat(201), './x', 'a\\b', 'a\u0000'])(
    'cannot be named %j',
    async (name) => {
      expect(await new ToolRunner().refusal(writeArtifactTool, { name, content: 'x' })).toMatch(/Invalid parameters/);
    },
  );
});

describe('plan and notes', () => {
  test('only return events to be recorded', async () => {
    const runner = new ToolRunner();
    expect((await runner.run(addPlanStepsTool, { steps: ['Look', 'Leap'] })).events).toEqual([
      { type: 'planStepsAdded', value: { steps: [{ title: 'Look' }, { title: 'Leap' }] } },
    ]);
    expect((await runner.run(updatePlanStepTool, { id: 'S001', status: 'done', note: 'seen' })).events).toEqual([
      { type: 'planStepChanged', value: { id: 'S001', status: 'done', note: 'seen' } },
    ]);
    expect((await runner.run(addNoteTool, { text: 'Remember' })).events).toEqual([
      { type: 'noteAdded', value: { text: 'Remember', by: 'run/r1' } },
    ]);
  });

  test('a note can be marked as a decision, and the tool tells the model why', async () => {
    const { message, events } = await new ToolRunner().run(addNoteTool, { text: 'Use tabs', kind: 'decision' });
    expect(message).toBe('Recorded as a decision.');
    expect(events).toEqual([{ type: 'noteAdded', value: { text: 'Use tabs', by: 'run/r1', kind: 'decision' } }]);
    expect(addNoteTool.description.description).toContain(
      'kept word for word if a new agent has to continue your work',
    );
  });

  test('refuse what a plan cannot take', async () => {
    const runner = new ToolRunner();
    expect(await runner.refusal(addPlanStepsTool, { steps: [] })).toMatch(/Invalid parameters/);
    expect(await runner.refusal(updatePlanStepTool, { id: 'first', status: 'done' })).toMatch(/S001/);
    expect(await runner.refusal(updatePlanStepTool, { id: 'S001', status: 'finished' })).toMatch(/Invalid parameters/);
    expect(await runner.refusal(addNoteTool, { text: '' })).toMatch(/Invalid parameters/);
    expect(await runner.refusal(addNoteTool, { text: 'a', kind: 'rumour' })).toMatch(/Invalid parameters/);
  });
});
