import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { makeFolder } from '../node/make-folder';
import { type Environment, type Log, readVariable, ServerSetupError } from '../node/setup-error';
import { doesNotExist, inspectBinary } from './binary-version';
import { buildBinary, createProgress } from './build-binary';
import { defaultDownloadUrl, downloadBinary } from './download-binary';
import { withLock } from './locks';
import { cachedBinaryPath, defaultCacheDir } from './paths';
import { errorReason } from './processes';

/** A program that can run a Temporal server. */
export interface ServerBinary {
  readonly path: string;
  readonly serverVersion: string;
  readonly source: 'explicit' | 'path' | 'cache' | 'download' | 'build';
}

/** Options of `findServerBinary`. `env` defaults to the process's environment, `downloadUrl` to Temporal's service. */
export interface FindBinaryOptions {
  readonly env?: Environment;
  readonly log?: Log;
  readonly downloadUrl?: string;
}

interface Attempt {
  readonly way: string;
  readonly problem: string;
}

/** How long to wait for another process that is downloading or building. A build takes minutes on a small machine. */
const waitForOtherBuildMs = 30 * 60_000;

/** Finds a program that can run a Temporal server, or downloads or builds one. The error lists every failed attempt. */
export async function findServerBinary(options: FindBinaryOptions = {}): Promise<ServerBinary> {
  const env = options.env ?? process.env;
  const explicit = readVariable(env, 'BATON_TEMPORAL_CLI');
  if (explicit !== undefined) return useExplicit(explicit);
  const attempts: Attempt[] = [];
  const cached = cachedBinaryPath(defaultCacheDir(env));
  const found = (await lookOnPath(env, attempts)) ?? (await lookInCache(cached, attempts));
  return found ?? (await obtain(cached, { ...options, env }, attempts));
}

async function useExplicit(path: string): Promise<ServerBinary> {
  const inspection = await inspectBinary(path);
  if ('problem' in inspection) {
    // Does not try other sources: a user who names a program expects exactly that one.
    throw new ServerSetupError(
      `BATON_TEMPORAL_CLI=${path} ${inspection.problem}`,
      'Set it to the path of a Temporal CLI, or unset it to let Baton find one.',
    );
  }
  return { path, source: 'explicit', ...inspection };
}

async function lookOnPath(env: Environment, attempts: Attempt[]): Promise<ServerBinary | undefined> {
  // Relative entries are skipped: they would run whatever is in the current folder.
  const folders = (readVariable(env, 'PATH') ?? '').split(delimiter).filter(isAbsolute);
  for (const folder of folders) {
    const path = join(folder, 'temporal');
    const inspection = await inspectBinary(path);
    if ('serverVersion' in inspection) return { path, source: 'path', ...inspection };
    if (inspection.problem !== doesNotExist) attempts.push({ way: path, problem: inspection.problem });
  }
  if (attempts.length === 0) attempts.push({ way: '`temporal` on the PATH', problem: doesNotExist });
  return undefined;
}

async function lookInCache(path: string, attempts: Attempt[]): Promise<ServerBinary | undefined> {
  const inspection = await inspectBinary(path);
  if ('serverVersion' in inspection) return { path, source: 'cache', ...inspection };
  attempts.push({ way: `Baton's cache, ${path}`, problem: inspection.problem });
  return undefined;
}

type Making = Required<Pick<FindBinaryOptions, 'env'>> & FindBinaryOptions;

async function obtain(target: string, options: Making, attempts: Attempt[]): Promise<ServerBinary> {
  const log = options.log ?? (() => undefined);
  const waiting = setTimeout(() => {
    log('Another process is downloading or building the Temporal server; waiting for it.');
  }, 2_000);
  try {
    await makeFolder(dirname(target));
    const made = await withLock(`${target}.lock`, { waitMs: waitForOtherBuildMs, log }, async () => {
      clearTimeout(waiting);
      return (await lookInCache(target, [])) ?? (await make(target, { ...options, log }, attempts));
    });
    if (made) return made;
  } catch (error) {
    attempts.push({ way: `writing to Baton's cache, ${dirname(target)}`, problem: errorReason(error) });
  } finally {
    clearTimeout(waiting);
  }
  throw nothingWorked(attempts);
}

async function make(
  target: string,
  options: Making & { log: Log },
  attempts: Attempt[],
): Promise<ServerBinary | undefined> {
  const { env, log, downloadUrl = defaultDownloadUrl } = options;
  const ways = [
    {
      source: 'download',
      name: `download from ${downloadUrl}`,
      run: () => downloadBinary({ url: downloadUrl, target, log }),
    },
    {
      source: 'build',
      name: 'build from its Go module',
      run: () => buildBinary({ env, target, progress: createProgress(log) }),
    },
  ] as const;
  for (const { source, name, run } of ways) {
    try {
      await run();
      const inspection = await inspectBinary(target);
      if ('serverVersion' in inspection) return { path: target, source, ...inspection };
      attempts.push({ way: name, problem: inspection.problem });
    } catch (error) {
      attempts.push({ way: name, problem: errorReason(error) });
    }
  }
  return undefined;
}

function nothingWorked(attempts: readonly Attempt[]): ServerSetupError {
  const tried = attempts.map(({ way, problem }) => `  - ${way}: ${problem}`);
  return new ServerSetupError(
    ['No Temporal server found. Tried:', ...tried].join('\n'),
    'Do one of these: put the Temporal CLI (https://docs.temporal.io/cli) on the PATH or set BATON_TEMPORAL_CLI to its path; ' +
      'install Go 1.26 or newer (https://go.dev/dl) and run this again; or set TEMPORAL_ADDRESS to a running server.',
  );
}
