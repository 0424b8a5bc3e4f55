import { proseIn, type Prose } from './prose';
import { programFolders, sourcesIn } from './sources';

// Comments and messages are written in plain, literal English. These phrases once made them hard to read, so they must
// not come back. To run this file alone: npx jest --selectProjects architecture --testPathPatterns vocabulary
// To check one folder only, add: -t "in store"

interface Phrase {
  readonly pattern: RegExp;
  /** How to write it instead. */
  readonly instead: string;
}

const avoided: readonly Phrase[] = [
  { pattern: /^Of\b/, instead: 'start with the thing itself: "Usage of the last request"' },
  { pattern: /^The same\b/, instead: 'refer to the other declaration by name: "Like `sendUpdate`, but …"' },
  { pattern: /\b(stand|stands|stood|standing)\b/i, instead: 'is, is stored, appears, applies' },
  { pattern: /\b(is|are|was) no (?!longer|more)\w+/i, instead: 'is not a …, invalid …, does not exist' },
  { pattern: /\b(go|goes|going|went|gone) (on|along)\b/i, instead: 'continues, is retried, is sent with' },
  { pattern: /\bso (many|much|few|long|often)\b/i, instead: 'say what is bounded: "Maximum bytes"' },
  {
    pattern:
      /\b(became|becomes|come|comes|came) (of|about|out|to pass)\b|\bmade (again|anew|of)\b|\bmakes? (again|anew)\b/i,
    instead: 'result, is created, is rebuilt, consists of',
  },
];

/** Texts that must keep their wording. Every entry needs a reason. */
const exceptions: readonly { readonly text: string; readonly because: string }[] = [
  { text: 'You have no workspace: there are no files.', because: 'models read it, and it is clear' },
  { text: 'There are no files in your workspace yet.', because: 'models read it as part of the hashed root prompt' },
  { text: 'There are no artifacts: leave', because: 'models read it in the handoff request, and it is clear' },
  { text: 'there is no step "…" in the plan', because: 'models read it, and it is clear' },
  { text: 'There is no tool named', because: 'models read it, followed by the available tools' },
];

interface Finding {
  readonly where: string;
  readonly text: string;
  readonly instead: string;
}

function findingsIn(folder: string, kinds: readonly Prose['kind'][] = ['comment', 'string']): Finding[] {
  return sourcesIn([folder]).flatMap((source) =>
    proseIn(source)
      .filter(({ kind }) => kinds.includes(kind))
      .flatMap(({ line, text }) =>
        avoided
          .filter(({ pattern }) => pattern.test(text))
          .map(({ instead }) => ({ where: `${source.path}:${line}`, text, instead })),
      ),
  );
}

/** Fails with every finding on its own lines. */
function expectNone(findings: readonly Finding[]): void {
  expect(findings.map(({ where, text, instead }) => `${where}: ${text}\n  instead: ${instead}`)).toEqual([]);
}

const isExcepted = ({ text }: Finding): boolean => exceptions.some((exception) => text.includes(exception.text));

const folders = [...programFolders, 'bench', 'examples'];

describe('vocabulary', () => {
  test.each(folders)('is plain in %s', (folder) => {
    expectNone(findingsIn(folder).filter((finding) => !isExcepted(finding)));
  });

  // Strings in tests quote what models and users may write.
  test('is plain in the comments of tests', () => {
    expectNone(findingsIn('test', ['comment']));
  });

  test('has no exception that is not needed any more', () => {
    const texts = folders.flatMap((folder) => findingsIn(folder)).map(({ text }) => text);
    expect(exceptions.filter((exception) => !texts.some((text) => text.includes(exception.text)))).toEqual([]);
  });

  test('is read from comments and strings, but not from code', () => {
    const text = [
      "import { stand } from './stand'; // It stands",
      '/**',
      ' * There is',
      ' * no end.',
      ' */',
      'const stood = /it is no comment \\/\\/ x/.test(`a // b ${stand(/* goes on */)} c`);',
    ].join('\n');
    expect(proseIn({ path: 'example.ts', text })).toEqual([
      { kind: 'comment', line: 1, text: 'It stands' },
      { kind: 'comment', line: 2, text: 'There is no end.' },
      { kind: 'comment', line: 6, text: 'goes on' },
      { kind: 'string', line: 6, text: 'a // b … c' },
    ]);
  });
});
