import { DeterminismViolationError } from '@temporalio/workflow';
import { readableText, readRecorded, recordedFiles, replay, type Recorded } from './recorded';
import { scenarios } from './scenarios';

describe('recorded histories', () => {
  test.each(recordedFiles())('%s still replays', async (file) => {
    await replay(readRecorded(file));
  });

  test('there is one for every way through the code', () => {
    const files = recordedFiles();
    const missing = scenarios.filter(({ name }) => !files.some((file) => file.includes(`-${name}`)));
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  test.each(recordedFiles())('%s says nothing of the machine it was made on', (file) => {
    const text = readableText(readRecorded(file));
    const tales = /\d@\w[\w.-]*|127\.0\.0\.1|localhost|"stackTrace"|\/(home|root|tmp|usr|var|work|Users)\/\w*/g;
    expect(text.match(tales) ?? []).toEqual([]);
  });
});

describe('a change that old runs can not survive', () => {
  test.each([
    ['an activity that has another name', '"callModel"', '"askModel"'],
    ['an activity in the place of another one', '"executeTool"', '"callModel"'],
  ])('is found: %s', async (_, recorded, changed) => {
    const file = recordedFiles().find((name) => name.includes('-tool-turns'))!;
    const history = JSON.parse(JSON.stringify(readRecorded(file)).replaceAll(recorded, changed)) as Recorded;
    await expect(replay(history)).rejects.toThrow(DeterminismViolationError);
  });
});
