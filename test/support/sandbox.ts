import { spawnSync } from 'node:child_process';

/** Why bubblewrap can't be used on this machine; undefined if it can. */
const sandboxProblem = problemOf();

function problemOf(): string | undefined {
  const everyNamespace = ['--unshare-all', '--unshare-user', '--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev'];
  const { error, status, stderr } = spawnSync('bwrap', [...everyNamespace, 'true'], { encoding: 'utf8' });
  if (error !== undefined) return 'bwrap is not installed';
  return status === 0 ? undefined : `bwrap does not work: ${stderr.trim()}`;
}

/** Like `describe`. Without bubblewrap, the tests are skipped, and their names say why. */
export function describeInSandbox(title: string, tests: () => void): void {
  if (sandboxProblem === undefined) describe(title, tests);
  else describe.skip(`${title} [skipped: ${sandboxProblem}]`, tests);
}
