import { spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Cluster } from './cluster';

const baton = join(__dirname, '..', '..', 'bin', 'baton.js');

/** Plays the demo's stories on the cluster, as a user would check a new one. Returns what did not hold. */
export async function playStories(cluster: Cluster, say: (line: string) => void): Promise<string[]> {
  const cwd = await mkdtemp(join(cluster.folder, 'demo-'));
  const { ANTHROPIC_API_KEY: _, ...inherited } = process.env;
  const demo = spawn(process.execPath, [baton, 'demo', '--configured'], {
    cwd,
    env: { ...inherited, ...cluster.env, BATON_STATE_DIR: join(cwd, 'state') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const broken: string[] = [];
  for (const stream of [demo.stdout, demo.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      if (line.startsWith('✗')) broken.push(line);
      if (/^[✓✗]|claims held/.test(line)) say(`  ${line}`);
    });
  }
  const stop = (): void => void demo.kill('SIGTERM');
  process.once('exit', stop);
  const code = await new Promise((resolve) => demo.once('close', resolve));
  process.off('exit', stop);
  return code === 0 || broken.length > 0 ? broken : [`the demo ended with exit code ${String(code)}`];
}
