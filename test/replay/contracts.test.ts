import { activityContracts } from '../../activities/contracts';
import { messageContracts, workflowContracts } from '../../workflows/contracts';
import { recordedFiles } from './recorded';
import { sentIn } from './sent';

// Runs that another version of Baton started must still be understood. So the contracts have to accept every payload in
// the recorded histories, and to name every field of it: a field that is not in its schema would be lost.

/** The value without `workspace.base`, which `prepareDelegations` is sent and does not need. */
function withoutBase(value: unknown): unknown {
  const { workspace } = Object(value) as { workspace?: { base?: unknown } | null };
  if (workspace?.base === undefined) return value;
  const { base: _, ...rest } = workspace;
  return { ...Object(value), workspace: rest };
}

describe('contracts', () => {
  test.each(recordedFiles())('describe every payload of %s', (file) => {
    for (const { what, schema, value } of sentIn(file)) {
      const parsed = schema.safeParse(value);
      expect({ what, problems: parsed.error?.issues ?? [] }).toEqual({ what, problems: [] });
      const expected = what === 'input of prepareDelegations' ? withoutBase(value) : value;
      expect({ what, value: parsed.data }).toEqual({ what, value: expected });
    }
  });

  test('exist once per wire name', () => {
    for (const contracts of [activityContracts, workflowContracts, messageContracts]) {
      const names = contracts.map(({ name }) => name);
      expect(names).toEqual([...new Set(names)]);
    }
  });

  test('occur in the histories, so that this test proves something', () => {
    const seen = new Set(recordedFiles().flatMap((file) => sentIn(file).map(({ what }) => what)));
    for (const name of ['runTurn', 'executeTool', 'prepareDelegations', 'applySession', 'takeHandoff', 'pickOutput'])
      expect([...seen]).toEqual(expect.arrayContaining([`input of ${name}`, `result of ${name}`]));
  });
});
