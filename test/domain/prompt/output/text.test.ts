import { checkOutput, defaultOutput } from '../../../../domain/prompt/output';
import { violationIn } from './support';

describe('an answer in the default form', () => {
  test('is its text, taken literally: nothing has to be escaped', () => {
    const text = '# Found\n\n`a < b && c` in <b>bold</b>, and </answer> too.';
    expect(checkOutput(defaultOutput, ` <response>\n<answer>\n${text}\n</answer>\n</response>\n`)).toEqual({
      ok: true,
      value: text,
      text,
    });
  });

  test.each([
    ['a word before it', 'Here: <response><answer>x</answer></response>', /begins with "Here:.*nothing before it/],
    ['a word after it', '<response><answer>x</answer></response> Bye', /nothing after `<\/response>`/],
    [
      'a word inside the response',
      '<response>Well, <answer>x</answer></response>',
      /^response: its content begins with/,
    ],
    ['no end', '<response><answer>x</response>', /^response: its content ends with/],
    ['a tag that both opens and closes', '<response><answer></response>', /^response: /],
    ['nothing', '<response><answer> </answer></response>', /^response\/answer: it is empty/],
    ['another element', '<response><note>x</note></response>', /one `<answer>` element/],
  ])('is refused with %s', (_, text, violation) => {
    expect(violationIn(defaultOutput, text)).toMatch(violation);
  });
});
