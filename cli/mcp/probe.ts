import { fork } from 'node:child_process';
import { join } from 'node:path';
import { type ProbedServer, probeReportSchema } from '../../domain/mcp';
import { CliError, exitCodes } from '../context';

const program = join(__dirname, '..', '..', 'worker', 'mcp', 'mcp-probe.js');

/**
 * Connects to servers in a process of its own, which does it as a worker does. Returns what each of them offers, or why it
 * can't be used.
 */
export async function probeServers(file: string, names: readonly string[]): Promise<readonly ProbedServer[]> {
  if (names.length === 0) return [];
  const child = fork(program, [file, ...names], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => (stderr = `${stderr}${chunk.toString('utf8')}`.slice(-2_000)));
  const report = await new Promise<unknown>((resolve) => {
    child.once('message', resolve);
    child.once('exit', () => {
      resolve(undefined);
    });
  });
  const parsed = probeReportSchema.safeParse(report);
  if (parsed.success) return parsed.data;
  throw new CliError(
    exitCodes.unavailable,
    `The MCP servers could not be checked.${stderr === '' ? '' : ` ${stderr}`}`,
  );
}
