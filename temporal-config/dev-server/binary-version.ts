import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { errorReason, runProgram } from './processes';

/**
 * Oldest supported server version. Earlier servers lack worker versioning and update features that the engine requires.
 */
const oldestServer = '1.29';

/** Problem of a path at which no file exists. */
export const doesNotExist = 'does not exist';

/** The server version of a program, or the reason why it cannot be used. */
export type Inspection = { readonly serverVersion: string } | { readonly problem: string };

/** Runs the program once, because a file with the right name may be for another platform, incomplete or too old. */
export async function inspectBinary(path: string): Promise<Inspection> {
  const obstacle = await whyNotExecutable(path);
  if (obstacle !== undefined) return { problem: obstacle };
  let printed: string;
  try {
    printed = await runProgram(path, ['--version']);
  } catch (error) {
    return { problem: `does not run: ${errorReason(error)}` };
  }
  const serverVersion = /Server (\d+\.\d+[\w.-]*)/.exec(printed)?.[1];
  if (serverVersion === undefined)
    return { problem: `is not a Temporal CLI with a built-in server (it printed "${printed.trim().slice(0, 80)}")` };
  if (compareVersions(serverVersion, oldestServer) < 0) {
    return { problem: `contains server ${serverVersion}, which is too old; ${oldestServer} or newer is required` };
  }
  return { serverVersion };
}

async function whyNotExecutable(path: string): Promise<string | undefined> {
  try {
    if (!(await stat(path)).isFile()) return 'is not a file';
  } catch {
    return doesNotExist;
  }
  return access(path, constants.X_OK).then(
    () => undefined,
    () => 'is not executable',
  );
}

/** Compares versions; negative when `left` is older. Only numbers are compared, so a pre-release equals its release. */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [numbersOf(left), numbersOf(right)];
  for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function numbersOf(version: string): number[] {
  return (/\d+(\.\d+)*/.exec(version)?.[0] ?? '').split('.').map(Number);
}
