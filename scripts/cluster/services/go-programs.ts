import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createProgress, compileGo, requireGo } from '../../../temporal-config/dev-server/build-binary';
import { withLock } from '../../../temporal-config/dev-server/locks';
import { defaultCacheDir } from '../../../temporal-config/dev-server/paths';

/** Programs of one Go module, which pins their versions. */
export interface GoPrograms {
  /** Name and version for people, and for the folder in the cache. */
  readonly name: string;
  readonly version: string;
  /** Folder below `scripts/cluster/go`. */
  readonly module: string;
  /** Packages by the name of the program. */
  readonly packages: Readonly<Record<string, string>>;
}

export const goPrograms = {
  temporal: {
    name: 'temporal-server',
    version: '1.31.2',
    module: 'temporal-server',
    packages: { server: 'go.temporal.io/server/cmd/server', sql: 'go.temporal.io/server/cmd/tools/sql' },
  },
  objectStore: {
    name: 'versitygw',
    version: '1.7.0',
    module: 'object-store',
    packages: { versitygw: 'github.com/versity/versitygw/cmd/versitygw' },
  },
} satisfies Record<string, GoPrograms>;

/** Returns the paths of the programs by name; undefined if they have not been built on this machine. */
export function findBuilt(programs: GoPrograms): Record<string, string> | undefined {
  const paths = Object.keys(programs.packages).map((name) => [name, join(folderOf(programs), name)] as const);
  return paths.every(([, path]) => existsSync(path)) ? Object.fromEntries(paths) : undefined;
}

const waitForOtherBuildMs = 30 * 60_000;

/** Returns the paths of the programs by name. Builds them if they are not in Baton's cache, which takes minutes. */
export async function obtain(programs: GoPrograms, log = toStderr): Promise<Record<string, string>> {
  const built = findBuilt(programs);
  if (built !== undefined) return built;
  const folder = folderOf(programs);
  await mkdir(join(folder, '..'), { recursive: true });
  return withLock(`${folder}.lock`, { waitMs: waitForOtherBuildMs, log }, async () => {
    if (findBuilt(programs) === undefined) await build(programs, folder, log);
    return findBuilt(programs) ?? {};
  });
}

async function build(programs: GoPrograms, folder: string, log: (line: string) => void): Promise<void> {
  const moduleDir = join(__dirname, '..', 'go', programs.module);
  const label = `${programs.name} ${programs.version}`;
  await requireGo(process.env, moduleDir);
  const unfinished = `${folder}.building`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished);
  try {
    await compileGo({
      label,
      moduleDir,
      output: `${unfinished}/`,
      packages: Object.values(programs.packages),
      env: process.env,
      progress: createProgress(log),
    });
    await rename(unfinished, folder);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

function folderOf({ name, version }: GoPrograms): string {
  return join(defaultCacheDir(process.env), 'cluster', `${name}-${version}`);
}

function toStderr(line: string): void {
  process.stderr.write(`${line}\n`);
}
