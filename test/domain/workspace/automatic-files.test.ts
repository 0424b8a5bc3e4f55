import { automaticEffect, changedCommands, manifestAt } from '../../../domain/workspace';

describe('files that run without being asked', () => {
  test.each([
    ['.github/workflows/ci.yml', /continuous integration/],
    ['packages/a/.github/actions/setup/action.yml', /continuous integration/],
    ['.gitlab-ci.yml', /continuous integration/],
    ['.circleci/config.yml', /continuous integration/],
    ['Jenkinsfile', /continuous integration/],
    ['azure-pipelines.release.yml', /continuous integration/],
    ['.husky/pre-commit', /git is used/],
    ['.HUSKY/_/x', /git is used/],
    ['lefthook.yml', /git is used/],
    ['.lefthook-local.toml', /git is used/],
    ['.pre-commit-config.yaml', /git is used/],
    ['.lintstagedrc.cjs', /git is used/],
    ['sub/.gitattributes', /git is used/],
    ['.npmrc', /installed or built/],
    ['.yarnrc.yml', /installed or built/],
    ['setup.py', /installed or built/],
    ['.cargo/config.toml', /installed or built/],
    ['.vscode/tasks.json', /editor/],
    ['.vscode./tasks.json', /editor/],
    ['app.code-workspace', /editor/],
    ['.idea/runConfigurations/a.xml', /editor/],
    ['.devcontainer/devcontainer.json', /container/],
    ['.claude/settings.json', /agent/],
    ['.envrc', /shell/],
    ['.mise.toml', /shell/],
    ['mise.local.toml', /shell/],
    ['.mise/tasks/build', /shell/],
    ['.Rprofile', /shell/],
    ['sub/.irbrc', /shell/],
    ['.gdbinit', /shell/],
    ['flake.nix', /shell/],
    ['hooks/pre-commit', /git is used/],
    ['scripts/git/post-checkout', /git is used/],
    ['commitlint.config.mjs', /git is used/],
    ['.ci/build.sh', /continuous integration/],
    ['.readthedocs.yaml', /continuous integration/],
    ['renovate.json', /continuous integration/],
    ['vercel.json', /continuous integration/],
    ['.pnp.cjs', /installed or built/],
    ['pnpm-workspace.yaml', /installed or built/],
    ['Gemfile', /installed or built/],
    ['x.gemspec', /installed or built/],
    ['Directory.Build.targets', /installed or built/],
    ['.bazelrc', /installed or built/],
    ['.windsurf/mcp.json', /agent/],
    ['opencode.json', /agent/],
    ['devfile.yaml', /container/],
  ])('are recognized: %s', (path, effect) => {
    expect(automaticEffect(path)).toMatch(effect);
  });

  test.each([
    'src/index.ts',
    'Makefile',
    'Dockerfile',
    'package.json',
    '.github/CODEOWNERS',
    '.github/ISSUE_TEMPLATE/bug.md',
    '.gitignore',
    'src/vscode/tasks.json',
    'docs/lefthook.md',
    'husky.ts',
    'setup.py.md',
    'src/update/index.ts',
    'docs/pre-commit.md',
    'src/flake.ts',
    'Gemfile.lock',
    'pyproject.toml',
  ])('are not everything: %s', (path) => {
    expect(automaticEffect(path)).toBeUndefined();
  });
});

describe('commands of a manifest', () => {
  const before = JSON.stringify({ name: 'a', scripts: { test: 'jest' }, dependencies: { a: '1' } });
  const changed = (after: unknown): string | undefined =>
    changedCommands('package.json', before, typeof after === 'string' ? after : JSON.stringify(after, null, 2));

  test('are compared, and other fields are not', () => {
    expect(changed({ name: 'b', scripts: { test: 'jest' }, dependencies: { a: '2' }, version: '2' })).toBeUndefined();
    expect(changed({ name: 'a', scripts: { test: 'jest', postinstall: 'x' } })).toBe(
      'changes package scripts (scripts)',
    );
    expect(changed({ scripts: { test: 'jest' }, bin: './x', 'lint-staged': {} })).toMatch(/\(bin, lint-staged\)/);
    expect(changed({ name: 'a' })).toMatch(/\(scripts\)/);
  });

  test('that cannot be read count as changed', () => {
    for (const text of ['', '{', '[]', 'null', '"x"'])
      expect([text, changed(text)]).toEqual([text, expect.any(String)]);
  });

  test('of a new or a deleted manifest count as changed only if there are any', () => {
    expect(changedCommands('package.json', undefined, '{"name":"a"}')).toBeUndefined();
    expect(changedCommands('package.json', undefined, '{"scripts":{"test":"x"}}')).toMatch(/scripts/);
    expect(changedCommands('composer.json', '{"scripts":{"test":"x"}}', undefined)).toMatch(/scripts/);
  });

  test('are looked for in manifests only, whatever the case', () => {
    expect(['package.json', 'a/Package.JSON', 'composer.json', 'package-lock.json', 'x.json'].map(manifestAt)).toEqual([
      'package.json',
      'package.json',
      'composer.json',
      undefined,
      undefined,
    ]);
  });
});
