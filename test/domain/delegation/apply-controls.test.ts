import { mergeControls } from '../../../domain/agent';
import { callsLeft, chargeToolCall, openLedger, reserve, settleReservation } from '../../../domain/budget';
import { applyControls, controlsInForce } from '../../../domain/delegation/prepare';
import { afterHandoff } from '../../../domain/handoff';
import { type CompositionInput } from '../../../domain/prompt';
import { initialProgress, type OpenedAgent } from '../../../domain/agent';

const why = { reason: 'Not here.', alternative: 'Report it.' };
const tool = (name: string): NonNullable<NonNullable<CompositionInput['tooling']>['tools']>[number] => ({
  name,
  id: name,
  success: 's',
  cost: 'c',
  provenance: 'p',
  access: 'inherited',
});
const composition: CompositionInput = {
  parent: {
    agentId: 'run/a',
    promptNs: 'n',
    promptKey: 'k',
    sections: [
      { path: ['task'], start: 0, end: 4 },
      { path: ['delegation-1', 'delegation-details', 'task-summary'], start: 4, end: 8 },
    ],
  },
  delegation: { reason: 'r', expectedCompletion: 'e', mayDelegateFurther: true, taskSummary: 't' },
  tooling: { tools: [tool('grep'), tool('dispatch_skill')], added: [tool('request_tool')] },
};
const noRun = { run: undefined, access: undefined, chosenBy: 'prompt_key' as const };
const apply = (
  definition: Parameters<typeof controlsInForce>[0]['definition'],
  withheldAbove: string[][] = [],
): ReturnType<typeof applyControls> =>
  applyControls(composition, controlsInForce({ definition, ...noRun, withheldAbove }));

describe('controls of a delegation', () => {
  test('that revoke every dispatch tool also say that the child may not delegate further', () => {
    const { input } = apply({ tools: { dispatch_skill: { access: 'revoked', ...why } } });
    expect(input.delegation.mayDelegateFurther).toBe(false);
    expect(apply({ tools: { grep: { access: 'revoked', ...why } } }).input.delegation.mayDelegateFurther).toBe(true);
  });

  test('state a changed tool in the list and in the instructions, and omit an added tool that is revoked', () => {
    const { input } = apply({
      tools: { grep: { access: 'restricted', ...why, maxCalls: 1 }, request_tool: { access: 'revoked', ...why } },
    });
    expect(input.tooling?.tools?.map(({ access }) => access)).toEqual(['restricted', 'inherited']);
    expect(input.tooling?.added).toBeUndefined();
    expect(input.instructions?.toolPolicies).toEqual([
      { tool: 'grep', text: expect.stringContaining('at most 1 call') as unknown },
    ]);
  });

  test('name each section once, whichever pattern finds it, and say which ones do not exist', () => {
    const redactions = ['task', 'ta*', 'delegation-*/delegation-details/*', 'vault'].map((path) => ({
      path,
      reason: path,
    }));
    const { input, remarks } = apply({ redactions });
    expect(input.redactions).toEqual([
      { path: ['task'], reason: 'task' },
      { path: ['delegation-1', 'delegation-details', 'task-summary'], reason: 'delegation-*/delegation-details/*' },
    ]);
    expect(input.redactionNotes).toEqual([
      '`vault` – the parent prompt has no such section, so nothing was withheld (vault)',
    ]);
    expect(remarks).toHaveLength(1);
  });

  test('count a section as withheld that an agent above was not shown, alone or as part of another', () => {
    const definition = { redactions: [{ path: 'vault/key', reason: 'r', required: true }] };
    expect(() => apply(definition)).toThrow('must withhold the section "vault/key"');
    for (const above of [['vault'], ['vault', 'key'], []])
      expect(apply(definition, [above]).input.redactionNotes).toEqual([
        '`vault/key` – withheld from the parent agent already (r)',
      ]);
    expect(() => apply(definition, [['other']])).toThrow();
  });

  test('are refused if the restrictions of all levels are too large', () => {
    const long = { access: 'restricted' as const, reason: 'r'.repeat(4_000), alternative: 'a', maxCalls: 1 };
    const first = controlsInForce({ definition: { tools: { a: long } }, ...noRun });
    expect(() => controlsInForce({ definition: { tools: { a: long } }, ...noRun, access: first.access })).toThrow(
      'the tool restrictions and approval rules of all levels have',
    );
  });

  test('of a run follow those of a definition, and its single values take precedence', () => {
    expect(
      mergeControls(
        { principles: ['a'], reporting: { cadence: 'never', citations: 'x' } },
        { principles: ['b'], reporting: { cadence: 'often' } },
      ),
    ).toMatchObject({ principles: ['a', 'b'], reporting: { cadence: 'often', citations: 'x' } });
  });
});

describe('a limited number of calls', () => {
  const free = { tokens: 0, microUsd: 0, turns: 0 };
  const share = (waiting: number, calls: Record<string, number> = {}) => ({
    waiting,
    own: free,
    first: free,
    cap: { calls },
  });

  test('is shared with delegations, of which the first ones get a call each, and returned if unused', () => {
    let ledger = chargeToolCall(openLedger({ calls: { grep: 3 } }), 'grep');
    const shares = ['a', 'b', 'c'].map((id, index) => {
      const reserved = reserve(ledger, id, share(3 - index));
      if (!reserved.ok) throw new Error('not reserved');
      ({ ledger } = reserved);
      return reserved.share.calls?.['grep'];
    });
    expect(shares).toEqual([1, 1, 0]);
    expect(callsLeft(ledger, 'grep')).toBe(0);
    const spent = { usage: ledger.own.usage, microUsd: 0, turns: 0 };
    ledger = settleReservation(ledger, 'a', { ...spent, calls: { grep: 1 } });
    expect(callsLeft(settleReservation(ledger, 'b', spent), 'grep')).toBe(1);
    expect(callsLeft(ledger, 'read_file')).toBeUndefined();
  });

  test('is at most what the child itself may make', () => {
    const reserved = reserve(openLedger({ calls: { grep: 9 } }), 'a', share(1, { grep: 2, write_file: 1 }));
    expect(reserved).toMatchObject({ ok: true, share: { calls: { grep: 2, write_file: 1 } } });
  });

  test('is kept across a handoff', () => {
    const ref = { hash: 'h', bytes: 1, mediaType: 'm' };
    const opened = {
      opening: ref,
      access: { restricted: { grep: [{ ...why, maxCalls: 2 }] }, revoked: {} },
    } as unknown as OpenedAgent;
    const progress = initialProgress(opened, { version: 0, slices: {} }, null);
    const used = { ...progress, ledger: chargeToolCall(progress.ledger, 'grep') };
    const after = afterHandoff(used, { head: ref, artifact: { name: 'a' }, artifactTokens: 1 }, 'now');
    expect(callsLeft(after.ledger, 'grep')).toBe(1);
  });
});
