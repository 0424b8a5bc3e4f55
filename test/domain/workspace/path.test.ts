import { foldersAbove, InvalidPathError, parseFolderPath, parsePath } from '../../../domain/workspace';

const refused: [attempt: string, path: string, reason: RegExp][] = [
  ['climbing out', '../secret', /"\.\." is not allowed/],
  ['climbing out from inside', 'src/../../secret', /"\.\." is not allowed/],
  ['climbing at the end', 'src/..', /"\.\." is not allowed/],
  ['only dots', '..', /"\.\." is not allowed/],
  ['a dot inside', 'src/./a', /"\." is not allowed/],
  ['a path that climbs after a leading ./', './../a', /"\.\." is not allowed/],
  ['a second leading ./', '././a', /"\." is not allowed/],
  ['an absolute path', '/etc/passwd', /relative/],
  ['two leading slashes', '//server/share', /relative/],
  ['a hidden absolute path', './/etc/passwd', /relative/],
  ['a drive', 'C:/Windows', /relative/],
  ['a drive with backslashes', 'C:\\Windows', /relative/],
  ['backslashes as separators', 'src\\..\\..\\secret', /separator/],
  ['a backslash in a name', 'a\\b', /separator/],
  ['a network path', '\\\\server\\share', /separator/],
  ['a NUL character', 'a.txt\0.png', /NUL/],
  ['a line break', 'a\nb', /control/],
  ['an escape sequence', 'a\u001b[31m', /control/],
  ['a control character of the second block', 'a\u0085b', /control/],
  ['half a surrogate pair', 'a\ud800', /Unicode/],
  ['a character that some file systems leave out', '.g\u200cit/config', /invisible/],
  ['text that changes direction', 'a\u202egnp.exe', /invisible/],
  ['a byte order mark', '\ufeffa', /invisible/],
  ['an empty part', 'a//b', /empty segment/],
  ['a file with a slash at its end', 'a/', /empty segment/],
  ['nothing', '', /empty/],
  ['a name that is too long', 'x'.repeat(256), /255 bytes/],
  ['a name that is too long in bytes', 'ü'.repeat(128), /255 bytes/],
  ['a path that is too long', Array.from({ length: 60 }, () => 'x'.repeat(80)).join('/'), /4096 bytes/],
];

describe('a path', () => {
  test.each(refused)('is refused with a reason: %s', (_, path, reason) => {
    expect(() => parsePath(path)).toThrow(InvalidPathError);
    expect(() => parsePath(path)).toThrow(reason);
  });

  test.each([
    'a',
    'src/main.ts',
    '.github/workflows/ci.yml',
    '..a',
    'a..b',
    '...',
    'ä/ö.txt',
    'aux.c',
    'a b',
    '~/x',
    'c:d',
  ])('is accepted unchanged when it is plain: %s', (path) => {
    expect(parsePath(path)).toBe(path);
  });

  test('may start with ./', () => {
    expect(parsePath('./src/a.ts')).toBe('src/a.ts');
  });

  test.each(['', '.', './'])('of a folder means the workspace itself: "%s"', (path) => {
    expect(parseFolderPath(path)).toBe('');
  });

  test('of a folder may end in one slash', () => {
    expect(parseFolderPath('src/lib/')).toBe('src/lib');
    expect(() => parseFolderPath('src//')).toThrow(/empty segment/);
    expect(() => parseFolderPath('/')).toThrow(/relative/);
    expect(() => parseFolderPath('../')).toThrow(/not allowed/);
  });

  test('keeps the Unicode form of a name, because the existing file decides which one is meant', () => {
    expect(parsePath('e\u0301')).not.toBe(parsePath('\u00e9'));
  });
});

test('the parent folders of a path are listed outermost first', () => {
  expect(foldersAbove('a/b/c')).toEqual(['a', 'a/b']);
  expect(foldersAbove('a')).toEqual([]);
});
