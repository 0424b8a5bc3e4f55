import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stopProcess } from '../../../temporal-config/dev-server/processes';
import { findRunningDevServer } from '../../../temporal-config/dev-server/running-server';

const made: string[] = [];

/** Creates a folder for a test; all of them are removed after the last test of the file. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'baton-test-'));
  made.push(folder);
  return folder;
}

afterAll(async () => {
  for (const folder of made) {
    // Needed only after a failed test, because a passing one leaves none.
    const server = await findRunningDevServer(folder);
    if (server) await stopProcess(server.pid);
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Creates an executable shell script. */
export function writeProgram(path: string, ...lines: string[]): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, ['#!/bin/sh', ...lines, ''].join('\n'));
  chmodSync(path, 0o755);
  return path;
}

/** Creates a script that prints a version like the CLI. */
export function writeFakeCli(path: string, serverVersion = '1.31.2'): string {
  return writeProgram(path, `echo "temporal version 9.9.9 (Server ${serverVersion}, UI 2.50.1)"`);
}
