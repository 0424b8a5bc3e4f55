import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where Temporal's Python client is installed for tests, once per machine. */
const folder = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'baton-tests', 'python');
export const python = join(folder, 'bin', 'python');

const installMs = 120_000;

/** Installs Temporal's Python client. Returns why that is not possible; undefined if it is there. */
function whyNoPython(): string | undefined {
  if (isThere()) return undefined;
  mkdirSync(folder, { recursive: true });
  const made = spawnSync('python3', ['-m', 'venv', folder], { timeout: installMs, encoding: 'utf8' });
  if (made.status !== 0 || !existsSync(python)) return 'there is no python3 with venv';
  const args = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', 'temporalio'];
  const installed = spawnSync(python, args, { timeout: installMs, encoding: 'utf8' });
  return installed.status === 0 && isThere() ? undefined : "Temporal's client can't be installed with pip";
}

function isThere(): boolean {
  return existsSync(python) && spawnSync(python, ['-c', 'import temporalio.client'], { timeout: 60_000 }).status === 0;
}

/** Like `describe`, but skipped, with the reason in its name, where Temporal's Python client can't be installed. */
export function describeInPython(name: string, tests: () => void): void {
  const reason = whyNoPython();
  if (reason === undefined) describe(name, tests);
  else describe.skip(`${name} (skipped: ${reason})`, tests);
}
