import { sha256Hex } from '../../../domain/kernel';
import { mergeItemOutput } from '../../../domain/relay';
import type { ItemOutput, MergedItem } from '../../../domain/relay/merge-output';
import {
  artifactsSlice,
  builtInSlices,
  createSessionSchema,
  emptySession,
  filesSlice,
  recordsOf,
} from '../../../domain/session';

const schema = createSessionSchema(builtInSlices);
const start: MergedItem = { session: emptySession(schema), owners: {} };
const ref = (text: string): { hash: string; bytes: number; mediaType: string } => ({
  hash: sha256Hex(text),
  bytes: text.length,
  mediaType: 'text/plain',
});
const left = (by: string, owner: string, more: Partial<ItemOutput>): ItemOutput => {
  return { delegationId: by, owner, artifacts: [], files: [], missing: [], ...more };
};
const artifact = (name: string, text: string): ItemOutput['artifacts'][number] => ({ name, ref: ref(text) });
const file = (path: string, text: string | null): ItemOutput['files'][number] => {
  return { path, hash: text === null ? null : sha256Hex(text), bytes: text?.length ?? 0 };
};
const names = ({ session }: MergedItem): string[] => recordsOf(session, artifactsSlice).map(({ name }) => name);

describe('the output of a step', () => {
  test('keeps its artifact name, unless another artifact has it', () => {
    const one = mergeItemOutput(
      schema,
      start,
      start.session,
      left('d1', 'a#0', { artifacts: [artifact('R.md', '1')] }),
    );
    const two = mergeItemOutput(schema, one, one.session, left('d2', 'a#1', { artifacts: [artifact('R.md', '2')] }));
    expect(names(two)).toEqual(['R.md', 'd2/R.md']);
  });

  test('replaces what the same item wrote in an earlier round', () => {
    const one = mergeItemOutput(
      schema,
      start,
      start.session,
      left('d1', 'a#0', { artifacts: [artifact('R.md', '1')] }),
    );
    const two = mergeItemOutput(schema, one, one.session, left('d2', 'a#0', { artifacts: [artifact('R.md', '2')] }));
    expect(recordsOf(two.session, artifactsSlice)).toEqual([{ name: 'R.md', ref: ref('2'), by: 'd2' }]);
  });

  test('must contain the expected artifacts, though a later round need not write them again', () => {
    const missing = left('d1', 'a#0', { artifacts: [artifact('X.md', '1')], missing: ['R.md'] });
    const refused = mergeItemOutput(schema, start, start.session, missing);
    expect(refused).toEqual({ ...start, problem: 'it did not write R.md' });
    const one = mergeItemOutput(
      schema,
      start,
      start.session,
      left('d1', 'a#0', { artifacts: [artifact('R.md', '1')] }),
    );
    expect(mergeItemOutput(schema, one, one.session, left('d2', 'a#0', { missing: ['R.md'] })).problem).toBeUndefined();
    expect(mergeItemOutput(schema, one, one.session, left('d2', 'b#0', { missing: ['R.md'] })).problem).toBeDefined();
  });

  test('adds its file changes to earlier ones', () => {
    const one = mergeItemOutput(schema, start, start.session, left('d1', 'a#0', { files: [file('a.ts', '1')] }));
    const two = mergeItemOutput(
      schema,
      one,
      one.session,
      left('d2', 'a#1', { files: [file('a.ts', '2'), file('b.ts', null)] }),
    );
    expect(two.problem).toBeUndefined();
    expect(recordsOf(two.session, filesSlice)).toEqual([file('a.ts', '2'), file('b.ts', null)]);
  });

  test('is refused completely when another item changed the same file in the meantime', () => {
    const one = mergeItemOutput(schema, start, start.session, left('d1', 'a#0', { files: [file('a.ts', '1')] }));
    const both = left('d2', 'a#1', {
      files: [file('b.ts', '2'), file('a.ts', '2')],
      artifacts: [artifact('R.md', '1')],
    });
    expect(mergeItemOutput(schema, one, start.session, both)).toEqual({
      ...one,
      problem:
        "it changed a.ts, which another item also changed. Items that change the same files can't run in parallel",
    });
  });
});
