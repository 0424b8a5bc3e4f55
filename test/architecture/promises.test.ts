import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot, typescriptHook } from '../support/paths';
import { sourcesIn } from './sources';

const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8');

describe('what the documents promise', () => {
  test('the README is short, and contains the two commands to try and to check everything', () => {
    const readme = read('README.md');
    expect(readme.split('\n').length).toBeLessThan(120);
    expect(readme).toContain('npm ci && npm run demo');
    expect(readme).toContain('npm ci && npm test');
  });

  test('the reference says what the program does', async () => {
    const check = ['-r', typescriptHook, join(projectRoot, 'scripts', 'reference.ts'), '--check'];
    await expect(promisify(execFile)(process.execPath, check)).resolves.toMatchObject({ stdout: '' });
  });

  test('every link from one document to another leads somewhere', () => {
    const pages = readdirSync(join(projectRoot, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => join('docs', name));
    const broken = [...pages, 'README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'].flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:)([^)#\s]+)/g)]
        .map(([, target]) => join(dirname(page), target!))
        .filter((target) => !existsSync(join(projectRoot, target)))
        .map((target) => `${page} → ${target}`),
    );
    expect(broken).toEqual([]);
  });

  test('npm ci works: the lock file knows the packages of all platforms', async () => {
    const check = ['-r', typescriptHook, join(projectRoot, 'scripts', 'complete-lock.ts'), '--check'];
    await expect(promisify(execFile)(process.execPath, check)).resolves.toMatchObject({ stderr: '' });
  });

  test('every dependency has a documented reason', () => {
    const reasons = read('docs/decisions/dependencies.md');
    const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<
      string,
      Record<string, string>
    >;
    const names = Object.keys({ ...dependencies, ...devDependencies });
    expect(names.filter((name) => !reasons.includes(`\`${name}\``))).toEqual([]);
  });
});

describe('tests', () => {
  test('use a real Temporal server, never a mock', () => {
    const mocks = /jest\s*\.\s*(mock|doMock|unstable_mockModule)\(\s*['"`]@temporalio/;
    expect(
      sourcesIn(['test'])
        .filter(({ text }) => mocks.test(text))
        .map(({ path }) => path),
    ).toEqual([]);
  });

  test('are all run: none is skipped or singled out', () => {
    const left = /^\s*(?:x?(?:describe|test|it)\.(?:only|skip|todo)|xdescribe|xtest|xit|fdescribe|fit)\b/m;
    expect(
      sourcesIn(['test'])
        .filter(({ text }) => left.test(text))
        .map(({ path }) => path),
    ).toEqual([]);
  });
});
