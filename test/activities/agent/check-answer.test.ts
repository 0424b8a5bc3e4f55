import { checkAnswer } from '../../../activities/agent/check-answer';
import type { CheckedAnswer } from '../../../domain/prompt';
import { defaultOutput, type OutputFormat } from '../../../domain/prompt/output';
import type { Store } from '../../../domain/store';
import { putJson, readSpilled, spillText } from '../../../store/blobs';
import { MemoryRunStore } from '../../store/support/memory-run-store';
import { quietEnvironment } from '../../support/activity-environment';

const blobs = new MemoryRunStore();
const store = { id: 's1', forRun: () => blobs } as unknown as Store;

async function check(format: OutputFormat, text: string, storeId = 's1'): Promise<CheckedAnswer> {
  const input = { runId: 'r1', storeId, format: await putJson(blobs, format), text: await spillText(blobs, text) };
  return quietEnvironment().run((given: typeof input) => checkAnswer({ store }, given), input);
}

const list: OutputFormat = { json: { type: 'array', items: { type: 'string' } } };
const plan: OutputFormat = { xml: { root: 'plan', fields: [{ name: 'goal' }] } };

test('a valid answer is returned in canonical form', async () => {
  expect(await check(list, ' [ "a", "b" ] ')).toEqual({
    ok: true,
    text: { text: '["a","b"]' },
    characters: 9,
    value: { text: '["a","b"]' },
  });
  const inner = '<plan><goal>g</goal></plan>';
  expect(await check(plan, `<response>${inner}</response>`)).toEqual({
    ok: true,
    text: { text: inner },
    characters: inner.length,
    value: { text: '{"goal":"g"}' },
  });
  expect(await check(defaultOutput, '<response><answer>a < b</answer></response>')).toEqual({
    ok: true,
    text: { text: 'a < b' },
    characters: 5,
  });
});

test('a long answer stays in the store', async () => {
  const words = Array.from({ length: 1_000 }, (_, index) => `word ${index}`);
  const checked = await check(list, JSON.stringify(words, undefined, 2));
  expect(checked).toMatchObject({ ok: true, text: { ref: { mediaType: 'application/json' } } });
  expect(checked.ok && (await readSpilled(blobs, checked.text, 'test'))).toBe(JSON.stringify(words));
});

test('an invalid answer is not a failure: the violation is returned for the model', async () => {
  expect(await check(plan, 'Done!')).toEqual({
    ok: false,
    violation: expect.stringMatching(/begins with "Done!"/) as unknown,
  });
});

test('a worker with a different store does not check', async () => {
  await expect(check(plan, 'Done!', 's2')).rejects.toMatchObject({ type: 'Store.Other' });
});
