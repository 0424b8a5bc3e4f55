import { builtInTools } from '../../../../activities/tool/builtin';
import { ToolRunner } from './support';

const attempts = [
  '../outside',
  'src/../../outside',
  '/etc/passwd',
  '//etc/passwd',
  './/etc/passwd',
  'C:/Windows/win.ini',
  '..\\outside',
  'src\\..\\..\\outside',
  'a.txt\0.md',
  'a\nb',
  'src//a',
  '.g\u200bit/config',
  'x'.repeat(256),
  Array.from({ length: 100 }, () => 'x'.repeat(50)).join('/'),
];
const others: Record<string, object> = {
  write_file: { content: 'x' },
  edit_file: { old_text: 'a', new_text: 'b' },
  grep: { pattern: 'x' },
};
const withPath = builtInTools.filter(({ description: { name } }) =>
  ['read_file', 'list_files', 'grep', 'write_file', 'edit_file'].includes(name),
);

describe.each(withPath.map((tool) => [tool.description.name, tool] as const))('%s', (name, tool) => {
  test.each(attempts)('refuses with a reason: %j', async (path) => {
    const runner = await ToolRunner.with({ 'src/a': 'a' });
    expect(await runner.refusal(tool, { path, ...others[name] })).toMatch(/is not allowed: .+/);
    expect(runner.changes).toEqual([]);
  });
});

test('every tool is fully described for the model', () => {
  expect(builtInTools.map(({ description }) => description.name)).toEqual([
    'list_files',
    'read_file',
    'grep',
    'write_file',
    'edit_file',
    'write_artifact',
    'read_artifact',
    'add_plan_steps',
    'update_plan_step',
    'add_note',
  ]);
  for (const { description } of builtInTools) {
    expect(description.safeToRepeat).toBe(true);
    expect(description.description.length).toBeLessThan(320);
    expect(description.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
  }
  expect(new Set(builtInTools.map(({ description }) => description.id)).size).toBe(builtInTools.length);
});
