import { DeterminismViolationError } from '@temporalio/workflow';
import { readableText, readRecorded, recordedFiles, replay, type Recorded } from './recorded';
import { scenarios } from './scenarios';

describe('recorded histories', () => {
  test.each(recordedFiles())('%s still replays', async (file) => {
    await replay(readRecorded(file));
  });

  test('exist for every scenario', () => {
    const files = recordedFiles();
    const missing = scenarios.filter(({ name }) => !files.some((file) => file.includes(`-${name}`)));
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  test.each(recordedFiles())('%s contains nothing about the machine it was recorded on', (file) => {
    const text = readableText(readRecorded(file));
    const tales = /\d@\w[\w.-]*|127\.0\.0\.1|localhost|"stackTrace"|\/(home|root|tmp|usr|var|work|Users)\/\w*/g;
    expect(text.match(tales) ?? []).toEqual([]);
  });
});

describe('a change that breaks existing runs', () => {
  test.each([
    ['an activity that has another name', '"runTurn"', '"askModel"'],
    ['an activity in the place of another one', '"openRun"', '"runTurn"'],
  ])('is detected: %s', async (_, recorded, changed) => {
    const file = recordedFiles().find((name) => name.includes('-tool-turns'))!;
    const history = JSON.parse(JSON.stringify(readRecorded(file)).replaceAll(recorded, changed)) as Recorded;
    await expect(replay(history)).rejects.toThrow(DeterminismViolationError);
  });
});
