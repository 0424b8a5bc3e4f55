import { spawn } from 'node:child_process';
import { readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Environment, Log } from '../node/setup-error';
import { compareVersions } from './binary-version';
import { devServerModuleDir, pinnedCliVersion } from './paths';
import { errorReason, runProgram } from './processes';

const commandPackage = 'github.com/temporalio/cli/cmd/temporal';
const linesKept = 20;

/** Options of `buildBinary`. */
export interface BuildOptions {
  readonly env: Environment;
  readonly target: string;
  readonly progress: Progress;
}

/**
 * Compiles the official CLI from the pinned Go module. The temporary file name is fixed, because the caller holds the
 * cache's lock.
 */
export async function buildBinary({ env, target, progress }: BuildOptions): Promise<void> {
  const moduleDir = devServerModuleDir();
  await requireGo(env, moduleDir);
  const unfinished = `${target}.building`;
  const label = `Temporal CLI ${pinnedCliVersion}`;
  try {
    await compileGo({ label, moduleDir, output: unfinished, packages: [commandPackage], env, progress });
    await rename(unfinished, target);
  } finally {
    await rm(unfinished, { force: true });
  }
}

/** Checks that there is a Go that can build a module. Throws an error that says what is missing. */
export async function requireGo(env: Environment, moduleDir: string): Promise<void> {
  const goMod = await readFile(join(moduleDir, 'go.mod'), 'utf8');
  const required = /^go (\S+)$/m.exec(goMod)?.[1] ?? '1.26';
  let printed: string;
  try {
    // Runs outside the module: inside it, an older Go would start to download a newer one just to print its version.
    printed = await runProgram('go', ['env', 'GOVERSION', 'GOTOOLCHAIN'], { env, cwd: tmpdir() });
  } catch (error) {
    const missing = errorReason(error).includes('ENOENT');
    throw new Error(missing ? '`go` is not on the PATH' : `\`go\` does not run: ${errorReason(error)}`);
  }
  const [version = '', toolchain = ''] = printed.split('\n').map((line) => line.trim());
  if (compareVersions(version, required) >= 0) return;
  // Since 1.21, Go downloads the toolchain that a module requires, unless GOTOOLCHAIN is `local`.
  if (compareVersions(version, '1.21') >= 0 && toolchain !== 'local') return;
  throw new Error(
    `Go ${required} or newer is required; found ${version || 'an unknown version'} (GOTOOLCHAIN=${toolchain})`,
  );
}

/** What to compile. */
export interface Compilation {
  /** Name and version of the program, for people. */
  readonly label: string;
  readonly moduleDir: string;
  /** File of the program. For several packages a folder, with a slash at its end. */
  readonly output: string;
  readonly packages: readonly string[];
  readonly env: Environment;
  readonly progress: Progress;
}

/** Compiles packages of a Go module with the versions that the module pins, and shows the progress. */
export async function compileGo(compilation: Compilation): Promise<void> {
  const { label, moduleDir, output, packages, env, progress } = compilation;
  const startedAt = Date.now();
  const lines: string[] = [];
  let [downloaded, compiled] = [0, 0];
  const args = ['build', '-v', '-trimpath', '-ldflags', '-s -w', '-o', output, ...packages];
  const pinned = { ...env, GOWORK: 'off', GOFLAGS: '-mod=readonly' };
  const go = spawn('go', args, { env: pinned, cwd: moduleDir, stdio: ['ignore', 'pipe', 'pipe'] });
  const stop = (): void => void go.kill();
  process.once('exit', stop);
  for (const stream of [go.stdout, go.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      if (line.startsWith('go: downloading')) downloaded += 1;
      else if (/^[\w.~-]+(\/[\w.~-]+)*$/.test(line)) compiled += 1;
      lines.push(line);
      if (lines.length > linesKept) lines.shift();
    });
  }
  const show = (): void => {
    const done =
      compiled === 0 && downloaded > 0 ? `${downloaded} modules downloaded` : `${compiled} packages compiled`;
    progress.update(`Building ${label} (once, takes minutes): ${elapsed(startedAt)}, ${done}`);
  };
  show();
  const ticking = setInterval(show, 1_000);
  try {
    const code = await new Promise((resolve, reject) => go.once('error', reject).once('close', resolve));
    if (code !== 0)
      throw new Error(
        `\`go build\` exited with code ${String(code)}:\n${lines.map((line) => `      ${line}`).join('\n')}`,
      );
    progress.finish(`Built ${label} in ${elapsed(startedAt)}.`);
  } catch (error) {
    progress.finish(`Building ${label} failed after ${elapsed(startedAt)}.`);
    throw error;
  } finally {
    clearInterval(ticking);
    process.off('exit', stop);
  }
}

function elapsed(since: number): string {
  const seconds = Math.round((Date.now() - since) / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Displays the progress of a long task. */
export interface Progress {
  /** Shows the current state. May be called often; output to a log is throttled. */
  update(text: string): void;
  /** Replaces the live line with a final one. */
  finish(text: string): void;
}

/** The stream that progress is written to. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const lineEveryMs = 15_000;

/** Shows progress as one line that is updated in place on a terminal, and as an occasional new line in a log. */
export function createProgress(log: Log, stream: ProgressStream = process.stderr, everyMs = lineEveryMs): Progress {
  if (stream.isTTY === true) {
    return {
      update: (text) => stream.write(`\r\u001b[K${text}`),
      finish: (text) => stream.write(`\r\u001b[K${text}\n`),
    };
  }
  let shownAt = -Infinity;
  return {
    update(text) {
      if (Date.now() - shownAt < everyMs) return;
      shownAt = Date.now();
      log(text);
    },
    finish: log,
  };
}
