import fc from 'fast-check';
import {
  afterTurn,
  formatRepetition,
  formatRepetitionNotice,
  judgeRepetition,
  type Repetition,
  repeatedTurns,
} from '../../../domain/agent/repetition';
import type { ToolCall, ToolOutcome } from '../../../domain/tool';

let ids = 0;
const call = (name: string, input = '{}'): ToolCall => ({ id: `call-${(ids += 1)}`, name, input: { text: input } });
const outcome = ({ id }: ToolCall, text: string, isError = false): ToolOutcome => ({
  callId: id,
  isError,
  content: { text },
});

interface Turn {
  readonly calls: readonly ToolCall[];
  readonly outcomes: readonly ToolOutcome[];
}
const turn = (...parts: readonly (readonly [name: string, input: string, result: string])[]): Turn => {
  const calls = parts.map(([name, input]) => call(name, input));
  return { calls, outcomes: calls.map((one, index) => outcome(one, parts[index]![2])) };
};
const read = (result: string, path = 'a'): Turn => turn(['read_file', `{"path":"${path}"}`, result]);

/** What happens in each turn. */
const verdicts = (turns: readonly Turn[], maxRepeats = 4): string[] => {
  let repetition: Repetition | undefined;
  return turns.map(({ calls, outcomes }) => {
    repetition = afterTurn(repetition, calls, outcomes);
    return judgeRepetition(repeatedTurns(repetition), maxRepeats);
  });
};

describe('an agent that repeats itself', () => {
  test('is told after 4 times, and stopped after 6', () => {
    const six = Array.from({ length: 6 }, () => read('same'));
    expect(verdicts(six)).toEqual(['none', 'none', 'none', 'warn', 'none', 'stop']);
    expect(verdicts(six, 0)).toEqual(Array(6).fill('none'));
    expect(verdicts(six, 1)).toEqual(['none', 'stop', 'stop', 'stop', 'stop', 'stop']);
  });

  test('is not disturbed while results change, or other calls are made in between', () => {
    expect(verdicts(Array.from({ length: 20 }, (_, index) => read(`result ${index}`)))).not.toContain('warn');
    const mixed = Array.from({ length: 20 }, (_, index) => (index % 4 === 3 ? read(`x${index}`, 'b') : read('same')));
    expect(verdicts(mixed)).not.toContain('warn');
  });

  test('is noticed in cycles of two and three turns', () => {
    const two = Array.from({ length: 12 }, (_, index) => read('same', `file-${index % 2}`));
    expect(verdicts(two).flatMap((verdict, index) => (verdict === 'none' ? [] : [`${index + 1} ${verdict}`]))).toEqual([
      '8 warn',
      '12 stop',
    ]);
    const three = Array.from({ length: 18 }, (_, index) => read('same', `file-${index % 3}`));
    expect(verdicts(three).indexOf('warn')).toBe(11);
    expect(verdicts(three).indexOf('stop')).toBe(17);
  });

  test('is recognized whatever the ids, the order of the calls, and the ids of delegations in results', () => {
    const a = ['grep', '{"pattern":"x"}', 'none'] as const;
    const b = ['dispatch_subagent', '{}', 'Failed. [delegation_id 3c58abc]'] as const;
    const c = ['dispatch_subagent', '{}', 'Failed. [delegation_id 9ke1xyz]'] as const;
    expect(verdicts([turn(a, b), turn(c, a), turn(b, a), turn(a, c)]).at(-1)).toBe('warn');
  });

  test('is not recognized if only a part of the batch is the same, or a success becomes an error', () => {
    const batch = (index: number): Turn => turn(['grep', '{}', 'none'], ['read_file', '{}', `${index}`]);
    expect(verdicts(Array.from({ length: 8 }, (_, index) => batch(index)))).not.toContain('warn');
    const failing = read('same');
    const failed = { ...failing, outcomes: failing.calls.map((one) => outcome(one, 'same', true)) };
    expect(verdicts([read('same'), read('same'), read('same'), failed]).at(-1)).toBe('none');
  });

  test('counts what the last turns really repeat, with little state', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 40 }), (sequence) => {
        let repetition: Repetition | undefined;
        sequence.forEach((value, end) => {
          const { calls, outcomes } = read('same', `file-${value}`);
          repetition = afterTurn(repetition, calls, outcomes);
          const made = sequence.slice(0, end + 1);
          const times = (cycle: number): number => {
            let count = 1;
            const at = (index: number): number | undefined => made[made.length - 1 - index];
            while (
              Array.from({ length: cycle }, (_, i) => i).every((i) => {
                const older = at(count * cycle + i);
                return older !== undefined && older === at(i);
              })
            )
              count += 1;
            return count;
          };
          const found = repeatedTurns(repetition);
          if (found === undefined) return;
          expect(times(found.turns)).toBe(found.times);
        });
        expect(JSON.stringify(repetition).length).toBeLessThan(200);
      }),
    );
  });

  test('is told which call it repeats, and how long it has', () => {
    const { calls } = turn(['read_file', '{"path":"a"}', ''], ['grep', 'x'.repeat(1_000), '']);
    const notice = formatRepetitionNotice({ turns: 1, times: 4 }, calls, 4);
    expect(notice).toContain(
      'made the same call 4 times in a row, with the same result: read_file {"path":"a"}, grep xxx',
    );
    expect(notice).toContain('If you repeat it 2 more times, you are stopped.');
    expect(notice.length).toBeLessThan(700);
    expect(formatRepetition({ turns: 2, times: 4 }, calls)).toContain('made the same 2 turns 4 times in a row');
    expect(
      formatRepetition(
        { turns: 1, times: 6 },
        Array.from({ length: 9 }, (_, i) => call(`t${i}`)),
      ),
    ).toContain('and 6 more');
  });
});
