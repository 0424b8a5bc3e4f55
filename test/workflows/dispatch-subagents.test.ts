import { defaultLimits } from '../../domain/agent/settings';
import { inTurns, refuse, say, useTool, useTools, type Script, type ScriptedCall } from '../../scripted-model';
import { byDepth, depthOf } from '../support/delegation-script';
import { Harness, type RunHandle, type RunWishes } from '../support/harness';

const item = (reason: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  reason,
  expected_result: 'A word.',
  may_delegate_further: 'no',
  recap_lines: [`Do this: ${reason}`],
  ...more,
});
const batch = (...reasons: readonly string[]): Record<string, unknown> => ({
  delegations: reasons.map((reason) => item(reason)),
});
/** Which delegation of a batch a call belongs to. */
const reasonOf = ({ systemText }: ScriptedCall): string => /\*\*Reason\*\* – (.*)/.exec(systemText)?.[1] ?? '';

describe('dispatch_subagents', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'));
  });
  afterAll(() => harness.close());

  const play = async (
    scripts: readonly Script[],
    wishes: RunWishes = {},
  ): Promise<{ handle: RunHandle; asked: ScriptedCall[] }> => {
    const asked: ScriptedCall[] = [];
    harness.model.setScript((call) => {
      asked.push(call);
      return byDepth(...scripts)(call);
    });
    return { handle: await harness.startRun(wishes), asked };
  };
  const told = (asked: readonly ScriptedCall[]): { text: string; isError: boolean } => {
    const call = asked.filter((one) => depthOf(one) === 0).at(-1);
    return (
      call?.toolExchanges.find(({ name }) => name === 'dispatch_subagents')?.result ?? {
        text: 'nothing',
        isError: true,
      }
    );
  };

  test('runs a child per delegation and returns the results in the order given, whoever ends first', async () => {
    const { handle, asked } = await play([
      inTurns(useTool('dispatch_subagents', batch('Slow.', 'Quick.', 'Failing.')), say('done')),
      (call) => {
        if (reasonOf(call) === 'Failing.') return refuse();
        return say(`From ${reasonOf(call)}`, { delayMs: reasonOf(call) === 'Slow.' ? 1_000 : 0 });
      },
    ]);
    await handle.result();
    expect(told(asked)).toEqual(expect.objectContaining({ isError: false }));
    expect(told(asked).text).toBe(
      [
        '3 delegations: 2 succeeded, 1 failed.',
        '[1 of 3] succeeded\nFrom Slow.',
        '[2 of 3] succeeded\nFrom Quick.',
        '[3 of 3] failed\nModel.Refused: The model declined to go on.',
      ].join('\n\n'),
    );
  });
});
