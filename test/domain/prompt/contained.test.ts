import { contained } from '../../../domain/prompt/contained';
import { compose, composeDocument, textOf } from './samples';

describe('a text that would swallow the sections after it', () => {
  test.each([
    ['an unclosed fence', 'Run:\n```sh\nls', 'Run:\n\\```sh\nls'],
    ['a fence that is closed by a shorter one', '````\na\n```', '\\````\na\n\\```'],
    ['a fence of tildes', '  ~~~\nx', '  \\~~~\nx'],
    ['a comment', 'a\n\n<!-- b\n\nc', 'a\n\n\\<!-- b\n\nc'],
    ['a comment after a closed one', '<!-- a -->\n<!-- b', '<!-- a -->\n\\<!-- b'],
    ['a script', '<script>\nx', '\\<script>\nx'],
    ['a declaration', '<!DOCTYPE html\nx', '\\<!DOCTYPE html\nx'],
    ['a CDATA section', '<![CDATA[\nx', '\\<![CDATA[\nx'],
    ['a processing instruction', '<?php\nx', '\\<?php\nx'],
    ['a fence with other line ends', 'a\r```\rb', 'a\r\\```\rb'],
    ['a fence inside an unclosed one', '~~~\n```\nx\n```', '\\~~~\n```\nx\n```'],
  ])('gets a backslash: %s', (_, text, expected) => {
    expect(contained(text)).toBe(expected);
    expect(contained(expected)).toBe(expected);
  });

  test.each([
    '```\na\n```',
    '```ts\n<!--\n```\nafter',
    '<!--\n```\n-->',
    '<!-- one line -->',
    '~~~\n```\n~~~~',
    'inline ``` and <!-- comment',
    '    ```\n    indented code',
    '``` inline `code` ```',
  ])('is unchanged otherwise: %j', (text) => {
    expect(contained(text)).toBe(text);
  });

  test('takes time in proportion to its length', () => {
    const began = process.cpuUsage().user;
    for (const line of ['```a', '<!--', '<script>', '~~~', '<!x'])
      expect(contained(`${line}\n`.repeat(20_001)).length).toBeGreaterThan(80_000);
    expect(process.cpuUsage().user - began).toBeLessThan(20_000_000);
  });

  test('leaves every section of a composed prompt where a reader of markdown finds it', () => {
    const document = composeDocument();
    const hostile = { ...document.delegation, taskSummary: 'Do this:\n\n```sh\nls\n\n<!--' };
    const prompt = textOf(compose({ ...document, delegation: hostile }).bytes);
    expect(prompt).toContain('### Task Summary\n\nDo this:\n\n\\```sh\nls\n\n\\<!--\n\n### Required Outputs\n');
  });
});
