import { anyOf, asComparedElsewhere } from './name-patterns';

/** Files that programs run, or take commands from, without being told to run that file. */
interface AutomaticFiles {
  /** What happens, as the end of a sentence about the file. */
  readonly effect: string;
  /** Patterns as in `SecretFiles`. A folder means everything in it. */
  readonly names: readonly string[];
}

const gitHooks =
  '{applypatch-msg,pre-applypatch,post-applypatch,pre-commit,pre-merge-commit,prepare-commit-msg,commit-msg,post-commit,pre-rebase,post-checkout,post-merge,pre-push,pre-receive,post-receive,post-update,reference-transaction,pre-auto-gc,post-rewrite,sendemail-validate,fsmonitor-watchman}';

/**
 * A file belongs here if its content can run when somebody does something else: commits, pushes, installs packages,
 * enters the folder, or opens it in an editor. A `Makefile` or a source file runs only when somebody asks for it.
 */
const automaticFiles: readonly AutomaticFiles[] = [
  {
    effect: 'runs in continuous integration',
    names: [
      '.{github,gitea,forgejo}/{workflows,actions}',
      'action.{yml,yaml}',
      '.gitlab-ci*',
      '.gitlab/ci',
      '{.circleci,.buildkite,.teamcity,.semaphore,.tekton,.builds,.azure-pipelines,.woodpecker}',
      '{.travis,.drone,.woodpecker,.cirrus,.appveyor,appveyor,.build,bitbucket-pipelines,cloudbuild,buildspec}.{yml,yaml}',
      '{azure-pipelines,jenkinsfile}*',
      '{.ci,.codefresh,.harness,.pipelines,.zuul.d}',
      '{.zuul,.vela,.readthedocs,codefresh,codemagic,bitrise,amplify,render}.{yml,yaml}',
      '{.drone.star,.drone.jsonnet,cloudbuild.json,netlify.toml,vercel.json}',
      '{renovate.json{,5},.renovaterc{,.json,.json5}}',
    ],
  },
  {
    effect: 'runs when git is used',
    names: [
      '{.husky,.githooks,githooks,.git-hooks}',
      '{.,}lefthook{,-local}{,.yml,.yaml,.toml,.json}',
      '.pre-commit-{config,hooks}.{yml,yaml}',
      '{.overcommit.yml,captainhook.json,grumphp.yml}',
      '{.lintstagedrc,lint-staged.config,.simple-git-hooks,simple-git-hooks}{,.*}',
      '{.commitlintrc,commitlint.config}{,.*}',
      '.git{attributes,modules,config}',
      // In whatever folder core.hooksPath names.
      gitHooks,
    ],
  },
  {
    effect: 'runs when packages are installed or built',
    names: [
      '{.npmrc,.yarnrc,.yarnrc.yml,.pnpmfile.cjs,.yarn/plugins,.yarn/releases,binding.gyp}',
      '{setup.py,sitecustomize.py,usercustomize.py,build.rs,.cargo/config,.cargo/config.toml,.bundle/config}',
      '{gradlew,gradlew.bat,gradle/wrapper,init.gradle,mvnw,mvnw.cmd,.mvn}',
      '{.pnp.cjs,.pnp.js,.pnp.loader.mjs,pnpm-workspace.yaml,package.json5,package.yaml,bunfig.toml,deno.jsonc}',
      '{gemfile,gems.rb,*.gemspec,extconf.rb,podfile,*.podspec,*.pth}',
      '{directory.build.props,directory.build.targets,nuget.config,.bazelrc,tools/bazel}',
    ],
  },
  {
    effect: 'runs in an editor, a development container or an agent',
    names: [
      '{.vscode,.idea,.run,.zed,.fleet,.cursor,.settings,.devcontainer,.idx,.claude,.codex,.gemini}',
      '{.windsurf,.continue,.roo,.kiro,.opencode,.junie,.amazonq,.trae,.nova,.helix,.theia,.vs}',
      '{.devcontainer,devcontainer,.mcp,opencode}.json',
      '{opencode.jsonc,.aider.conf.yml,devfile.yaml,.devfile.yaml,.kakrc}',
      '*.{code-workspace,sublime-project,sublime-build,rproj}',
      '{.project,.exrc,.nvimrc,.nvim.lua,.vimrc,.lvimrc,.dir-locals.el,.gitpod.yml,.gitpod.dockerfile,.replit}',
    ],
  },
  {
    effect: 'runs when a shell starts or enters the folder',
    names: [
      '{.envrc,.direnvrc,.autoenv,.mise,.config/mise,.tmux.conf}',
      '{mise,.mise,.config/mise}{,.*}.toml',
      '{flake,shell,devenv}.nix',
      '{.bashrc,.bash_profile,.bash_login,.bash_aliases,.profile,.login,.cshrc,.tcshrc,.kshrc}',
      '{.zshrc,.zshenv,.zprofile,.zlogin,config.fish}',
      // Interpreters and debuggers that are started in the folder.
      '{.rprofile,.irbrc,.pryrc,.iex.exs,.ghci,.gdbinit,.lldbinit,.pythonrc,.pythonrc.py}',
    ],
  },
];

const byEffect = automaticFiles.map(({ effect, names }) => ({
  effect,
  expression: new RegExp(`(?:^|/)${anyOf(names)}(?:/|$)`),
}));

/** Fields of manifests that contain commands or decide which programs run. Other fields may change freely. */
const commandFields: Readonly<Record<string, readonly string[]>> = {
  'package.json': [
    'scripts',
    'bin',
    'gypfile',
    'packageManager',
    'trustedDependencies',
    'pnpm',
    'husky',
    'lint-staged',
    'simple-git-hooks',
    'pre-commit',
  ],
  'composer.json': ['scripts', 'bin'],
  'deno.json': ['tasks'],
};

/** The manifest that a path names, in the spelling of `commandFields`; undefined for other files. */
export function manifestAt(path: string): string | undefined {
  const name = asComparedElsewhere(path).split('/').pop() ?? '';
  return Object.hasOwn(commandFields, name) ? name : undefined;
}

/** Returns what a file with this path does without being asked; undefined for an ordinary file. */
export function automaticEffect(path: string): string | undefined {
  const compared = asComparedElsewhere(path);
  return byEffect.find(({ expression }) => expression.test(compared))?.effect;
}

/**
 * Returns which commands of a manifest differ between two versions of its text, as the end of a sentence about the
 * file; undefined when none do. A version is undefined where the file does not exist.
 */
export function changedCommands(
  manifest: string,
  before: string | undefined,
  after: string | undefined,
): string | undefined {
  const [old, now] = [parseManifest(before), parseManifest(after)];
  if (old === undefined || now === undefined) return 'has package scripts that cannot be compared: it is not JSON';
  const changed = (commandFields[manifest] ?? []).filter(
    (field) => JSON.stringify(old.get(field)) !== JSON.stringify(now.get(field)),
  );
  return changed.length === 0 ? undefined : `changes package scripts (${changed.join(', ')})`;
}

function parseManifest(text: string | undefined): ReadonlyMap<string, unknown> | undefined {
  if (text === undefined) return new Map();
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? new Map(Object.entries(value)) : undefined;
  } catch {
    return undefined;
  }
}
