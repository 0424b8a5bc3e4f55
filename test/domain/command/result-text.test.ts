import fc from 'fast-check';
import { describeCommand, endOfOutput, plainOutput } from '../../../domain/command';

const nothing = { created: [], edited: [], deleted: [] };

describe('the text about a command', () => {
  test('shows the end of an output, within its limits', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 300 }), { maxLength: 200 }), (lines) => {
        const output = lines.join('\n');
        const { text, isWhole } = endOfOutput(output);
        expect(text.length).toBeLessThanOrEqual(6_000);
        expect(output.replace(/\n$/, '').endsWith(text)).toBe(true);
        expect(isWhole).toBe(output.replace(/\n$/, '') === text);
      }),
    );
  });

  test('has no colours, but keeps the text', () => {
    expect(plainOutput('\u001b[1;31mred\u001b[0m \u001b]0;title\u0007and\r\nplain')).toBe('red and\nplain');
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(plainOutput(text)).not.toMatch(/\u001b\[\d*m/);
      }),
    );
  });

  test('says how the command ended, which files changed and what was left out', () => {
    const paths = Array.from({ length: 25 }, (_, index) => `f${index}`);
    const text = describeCommand({
      ending: 'timeout',
      exitCode: null,
      seconds: 2.04,
      limit: '2 seconds',
      outputs: [
        { name: 'stdout', text: 'out\n' },
        { name: 'stderr', text: '' },
      ],
      artifact: 'commands/abc.txt',
      files: { created: paths, edited: ['a\nb'], deleted: [] },
      remarks: ['Not recorded: "x".'],
    });
    expect(text.split('\n')).toEqual([
      'The command was ended after 2.0 s: it did not end in time (limit: 2 seconds).',
      '--- stdout',
      'out',
      '--- end of stdout',
      'The complete output is the artifact "commands/abc.txt": use read_artifact.',
      expect.stringMatching(/^Created: "f0", .* and 5 more$/),
      'Changed: "a\\nb"',
      'Not recorded: "x".',
    ]);
    const quiet = { ending: 'exited', seconds: 0, outputs: [], files: nothing, remarks: [] } as const;
    expect(describeCommand({ ...quiet, exitCode: 0 })).toBe(
      'Exit code 0 after 0.0 s.\nNo file of the workspace changed.',
    );
    expect(describeCommand({ ...quiet, exitCode: null })).toMatch(/^The command was ended by a signal/);
  });
});
