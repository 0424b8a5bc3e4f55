import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { McpServerConfig } from '../../../domain/mcp';
import { projectRoot, typescriptHook } from '../paths';

type Stdio = Extract<McpServerConfig, { readonly type: 'stdio' }>;

/** The server that misbehaves, as a configuration. */
export function oddServer(env: Readonly<Record<string, string>> = {}): Stdio {
  const program = join(__dirname, 'odd-server.ts');
  return { type: 'stdio', command: process.execPath, args: ['-r', typescriptHook, program], env: { ...env } };
}

/** A server with skills and prompts, as a configuration. */
export function skillsServer(env: Readonly<Record<string, string>> = {}): Stdio {
  const program = join(__dirname, 'skills-server.ts');
  return { type: 'stdio', command: process.execPath, args: ['-r', typescriptHook, program], env: { ...env } };
}

/** A server of the registry, as a configuration. */
export function registryServer(name: 'everything' | 'filesystem', ...args: readonly string[]): Stdio {
  const program = join(projectRoot, 'node_modules', '@modelcontextprotocol', `server-${name}`, 'dist', 'index.js');
  return { type: 'stdio', command: process.execPath, args: [program, ...args], env: {} };
}

/** Whether a process is running. One that has ended and that nobody has waited for yet is not. */
export function isRunning(pid: number): boolean {
  const { status, stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return status === 0 && !stdout.trim().startsWith('Z');
}

/** Waits until a condition holds. Throws after a while, so that a test fails with what it waited for. */
export async function eventually(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`It never happened: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
