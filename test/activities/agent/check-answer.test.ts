import { checkAnswer } from '../../../activities/agent/check-answer';
import type { CheckedAnswer } from '../../../domain/agent';
import { defaultOutput, type OutputFormat } from '../../../domain/prompt/output';
import { readSpilled } from '../../../store/blobs';
import { MemoryRunStore } from '../../store/support/memory-run-store';

const blobs = new MemoryRunStore();
const check = (format: OutputFormat, text: string): Promise<CheckedAnswer> => checkAnswer(blobs, format, text);

const list: OutputFormat = { json: { type: 'array', items: { type: 'string' } } };
const plan: OutputFormat = { xml: { root: 'plan', fields: [{ name: 'goal' }] } };

test('a valid answer is returned in canonical form', async () => {
  expect(await check(list, ' [ "a", "b" ] ')).toEqual({
    text: { text: '["a","b"]' },
    characters: 9,
    value: { text: '["a","b"]' },
  });
  const inner = '<plan><goal>g</goal></plan>';
  expect(await check(plan, `<response>${inner}</response>`)).toEqual({
    text: { text: inner },
    characters: inner.length,
    value: { text: '{"goal":"g"}' },
  });
  expect(await check(defaultOutput, '<response><answer>a < b</answer></response>')).toEqual({
    text: { text: 'a < b' },
    characters: 5,
  });
});

test('a long answer stays in the store', async () => {
  const words = Array.from({ length: 1_000 }, (_, index) => `word ${index}`);
  const checked = await check(list, JSON.stringify(words, undefined, 2));
  expect(checked).toMatchObject({ text: { ref: { mediaType: 'application/json' } } });
  expect('text' in checked && (await readSpilled(blobs, checked.text, 'test'))).toBe(JSON.stringify(words));
});

test('an invalid answer is not a failure: the violation is returned for the model', async () => {
  expect(await check(plan, 'Done!')).toEqual({
    violation: expect.stringMatching(/begins with "Done!"/) as unknown,
  });
});
