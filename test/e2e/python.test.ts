import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { refuse, say } from '../../testing/scripted-model';
import { Harness, testAddress } from '../support/harness';
import { projectRoot } from '../support/paths';
import { describeInPython, python } from '../support/python';

const example = join(projectRoot, 'examples', 'python', 'run.py');
/** More than a page. */
const longAnswer = 'Zeile – mit "Anführung" und 日本語.\n'.repeat(8_000);

describeInPython('the example in Python', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(({ attempt }) => (attempt === 0 ? refuse() : say(longAnswer)), {
      replayed: false,
      modelDefaults: { maxTokens: 128_000, window: 1_000_000 },
    });
  });
  afterAll(() => harness.close());

  test('starts a run, answers its incident, and prints the long answer that it gets in pages', async () => {
    const env = { ...process.env, TEMPORAL_ADDRESS: testAddress(), BATON_TASK_QUEUE: harness.taskQueue };
    const child = spawn(python, [example, 'List the licenses.'], { env, timeout: 60_000 });
    const output = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect([code, code === 0 ? '' : output.stderr]).toEqual([0, '']);
    expect(output.stderr).toContain('needs operator');
    expect(output.stderr).toContain('Model.Refused: The model refused to continue.');
    expect(output.stdout).toBe(`${longAnswer}\n`);
    expect(harness.model.calls).toHaveLength(2);
  });

  test('is short', () => {
    const code = readFileSync(example, 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== '');
    expect(code.length).toBeLessThanOrEqual(32);
  });
});
