import fc from 'fast-check';
import { canonicalJson } from '../../../domain/kernel';
import { type ApprovalRule, approvalRulesFor, approvalRulesSchema, ruleId, withApprovals } from '../../../domain/tool';
import { approvalProblems, matchingRules, parseRules } from '../../../domain/tool/approval';

const call = (input: unknown): string => canonicalJson(input);
const matches = (rule: ApprovalRule, input: unknown, tool = 'run_command'): boolean =>
  matchingRules([rule], tool, call(input)).length === 1;

describe('approval rules', () => {
  test('match every call of their tool unless they have a pattern', () => {
    const always = { tool: 'run_command' };
    expect(matches(always, {})).toBe(true);
    expect(matches(always, {}, 'read_file')).toBe(false);
    expect(matches({ tool: 'mcp__github__*' }, {}, 'mcp__github__create_issue')).toBe(true);
    expect(matches({ tool: '*' }, {}, 'ask_operator')).toBe(false);
    expect(matches({ tool: 'request_tool' }, {}, 'request_tool')).toBe(true);
  });

  test.each([
    [{ command: 'git push' }, true],
    [{ command: 'git pull', then: ['git push'] }, true],
    [{ command: 'cd x && git push' }, false],
    [{ steps: [{ run: 'git push -f' }] }, true],
    [{ command: 7 }, false],
    [{}, false],
  ])('with a pattern look into all texts of the arguments: %j', (input, expected) => {
    expect(matches({ tool: 'run_command', when: '^git push' }, input)).toBe(expected);
  });

  test('with a pattern also see the arguments as JSON', () => {
    expect(matches({ tool: 'run_command', when: '"force":true' }, { command: 'x', force: true })).toBe(true);
  });

  test.each([
    [{ command: 'rm -rf /', cwd: '/srv' }, true],
    [{ command: 'rm -rf /', cwd: '/tmp' }, false],
    [{ command: 'rm -rf /' }, false],
    [{ command: ['ls', 'rm x'], cwd: '/srv/a' }, true],
    [{ other: 'rm x', cwd: '/srv' }, false],
  ])('with patterns for arguments need all of them: %j', (input, expected) => {
    expect(matches({ tool: 'run_command', when: { command: '^rm ', cwd: '^/srv' } }, input)).toBe(expected);
  });

  test('see numbers and flags of an argument as JSON', () => {
    const rule = { tool: 'pay', when: { amount: '^[0-9]{4,}$' } };
    expect([999, 1_000, 12_345].map((amount) => matches(rule, { amount }, 'pay'))).toEqual([false, true, true]);
  });

  test('find a text wherever it is hidden in the arguments', () => {
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        fc.string(),
        fc.integer(),
        fc.constant(null),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(fc.string(), tie('tree'), { maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(tree, fc.string(), (rest, key) => {
        const rule = { tool: 't', when: '^NEEDLE$' };
        expect(matches(rule, { a: rest, b: [{ [`k${key}`]: 'NEEDLE' }] }, 't')).toBe(true);
        const hasNeedle = JSON.stringify(rest).includes('"NEEDLE"');
        expect(matches(rule, { a: rest }, 't')).toBe(hasNeedle);
      }),
      { numRuns: 200 },
    );
  });

  test('take linear time for any pattern', () => {
    const started = performance.now();
    matches({ tool: 't', when: '(a+)+$' }, { text: `${'a'.repeat(5_000)}b` }, 't');
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test('only add up: whatever is below, the rules above still apply, once each', () => {
    const rule = fc.record({
      tool: fc.constantFrom('a', 'b', '*'),
      when: fc.option(fc.constantFrom('x', 'y'), { nil: undefined }),
    });
    const rules = fc.array(
      rule.map(({ tool, when }): ApprovalRule => (when === undefined ? { tool } : { tool, when })),
      {
        maxLength: 6,
      },
    );
    fc.assert(
      fc.property(fc.array(rules, { maxLength: 4 }), fc.constantFrom('a', 'b', 'c'), (levels, tool) => {
        let access: ReturnType<typeof withApprovals>;
        let known: string[] = [];
        for (const level of levels) {
          access = withApprovals(access, level);
          const ids = approvalRulesFor(access, tool).map(ruleId);
          expect(new Set(ids).size).toBe(ids.length);
          expect(known.every((id) => ids.includes(id))).toBe(true);
          known = ids;
        }
      }),
    );
  });

  test('include the restrictions that demand approval', () => {
    const restriction = { reason: 'R.', alternative: 'A.', approval: true as const };
    const access = { restricted: { a: [restriction] }, revoked: {}, approve: [{ tool: 'a', when: 'x' }] };
    expect(approvalRulesFor(access, 'a')).toEqual([
      { tool: 'a', reason: 'R.' },
      { tool: 'a', when: 'x' },
    ]);
    expect(approvalRulesFor(access, 'b')).toEqual([]);
  });

  test('that are not regular expressions are refused, with their place', () => {
    const rules = [{ tool: 'a' }, { tool: 'a', when: { path: '(?=x)', name: 'ok' } }, { tool: 'b', when: '[' }];
    expect(approvalProblems(rules).map(({ path }) => path)).toEqual([
      [1, 'when', 'path'],
      [2, 'when'],
    ]);
    expect(() => parseRules(rules)).toThrow('approve[1].when.path');
  });

  test.each([
    [[{ tool: 'a b' }], 'tool'],
    [[{ tool: 'a', when: {} }], 'when'],
    [[{ tool: 'a', when: '' }], 'when'],
    [[{ tool: 'a', whn: 'x' }], 'whn'],
    [Array.from({ length: 51 }, () => ({ tool: 'a' })), ''],
    [Array.from({ length: 50 }, () => ({ tool: 'a', when: 'x'.repeat(200) })), '4096 bytes'],
  ])('of a wrong form are refused', (rules, part) => {
    const parsed = approvalRulesSchema.safeParse(rules);
    expect(parsed.success).toBe(false);
    expect(JSON.stringify(parsed.error?.issues)).toContain(part);
  });
});
