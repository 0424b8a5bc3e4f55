import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import type { CallReport } from '../../../testing/scripted-model';
import { projectRoot, typescriptHook } from '../../support/paths';
import { ask } from './support';

const main = join(projectRoot, 'testing', 'scripted-model', 'main.ts');
const started: ChildProcess[] = [];

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

function run(...args: string[]): { child: ChildProcess; output: () => string; errors: () => string } {
  const child = spawn(process.execPath, ['-r', typescriptHook, main, ...args], { cwd: projectRoot });
  started.push(child);
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  return { child, output: () => output, errors: () => errors };
}

describe('the process', () => {
  it('prints its address, reports its calls, and exits on SIGTERM', async () => {
    const { child, output } = run('--scenario', 'echo', '--port', '0');
    await Promise.race([once(child.stdout!, 'data'), once(child, 'exit')]);
    const { baseUrl } = JSON.parse(output()) as { baseUrl: string };
    expect(baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const client = new Anthropic({ apiKey: 'any', baseURL: baseUrl, maxRetries: 0 });
    await client.messages.create(ask('a secret'));
    const text = await (await fetch(`${baseUrl}/__calls`)).text();
    const report = JSON.parse(text) as CallReport;
    expect(report.answered).toBe(1);
    expect(report.calls).toMatchObject([{ index: 0, outcome: 'answered', usage: { output_tokens: 2 } }]);
    expect(text).not.toContain('secret');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(output().trim().split('\n')).toHaveLength(1);
  });

  it.each([
    [['--scenario', 'nothing'], 'Unknown scenario "nothing". Available: explorer, echo, turns, streaming, delegator, '],
    [['--port', 'x'], '--port must be a non-negative integer'],
    [['--colour'], "Unknown option '--colour'"],
  ])('refuses %j without printing a stack', async (args, message) => {
    const { child, errors } = run(...args);
    expect(await once(child, 'close')).toEqual([2, null]);
    expect(errors()).toContain(message);
    expect(errors()).not.toContain('    at ');
  });
});
