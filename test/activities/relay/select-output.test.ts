import type { SharedDependencies } from '../../../activities/dependencies';
import { pickOutput } from '../../../activities/relay/select-output';
import type { SelectedValues } from '../../../domain/relay';
import type { OutputFormat } from '../../../domain/prompt/output';
import { putJson, spillText } from '../../../store/blobs';
import { MemoryRunStore } from '../../store/support/memory-run-store';
import { quietEnvironment } from '../../support/activity-environment';

const blobs = new MemoryRunStore();
const dependencies = { store: { id: 's1', forRun: () => blobs } } as unknown as SharedDependencies;

async function picked(format: OutputFormat | null, text: string, ...paths: string[]): Promise<SelectedValues> {
  const ref = format === null ? null : await putJson(blobs, format);
  const input = { runId: 'r1', storeId: 's1', format: ref, text: await spillText(blobs, text), paths };
  return quietEnvironment().run((given: typeof input) => pickOutput(dependencies, given), input);
}

const plan: OutputFormat = {
  xml: { root: 'plan', fields: [{ name: 'step', repeated: true, fields: [{ name: 'id' }] }] },
};
const inner = '<plan><step><id>s1</id></step><step><id>s2</id></step></plan>';

test('reads the root element of XML, with or without the response element around it', async () => {
  const ids = { '.step[*].id': ['s1', 's2'] };
  expect(await picked(plan, inner, '.step[*].id')).toEqual(ids);
  expect(await picked(plan, `<response>${inner}</response>`, '.step[*].id')).toEqual(ids);
});

test('reads only the requested values of JSON, also from long messages', async () => {
  const json: OutputFormat = { json: { type: 'object' } };
  const said = JSON.stringify({ verdict: 'fail', log: 'x'.repeat(100_000) });
  expect(await picked(json, said, '.verdict', '.none')).toEqual({ '.verdict': ['fail'], '.none': [] });
});

test('returns free text as a whole, which has no fields', async () => {
  expect(await picked(null, '{"a":1}', '', '.a')).toEqual({ '': ['{"a":1}'], '.a': [] });
});

test('refuses a message that does not match the output format of its skill, with the violation', async () => {
  await expect(picked(plan, 'Done!', '.step')).rejects.toThrow(/does not match the output format of its skill/);
});

test('refuses more than fits into history, and suggests an artifact', async () => {
  await expect(picked(null, 'x'.repeat(30_000), '')).rejects.toThrow(/30\d+ bytes.*pass the content as an artifact/);
});
