import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findRunningDevServer } from '../../../temporal-config/server/running-server';
import { stopProcess } from '../../../temporal-config/server/stop-process';

const made: string[] = [];

/** A folder of its own for a test; all of them are removed after the last one of the file. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'baton-test-'));
  made.push(folder);
  return folder;
}

afterAll(async () => {
  for (const folder of made) {
    // Only after a failed test: a passing one leaves none.
    const server = await findRunningDevServer(folder);
    if (server) await stopProcess(server.pid);
    rmSync(folder, { recursive: true, force: true });
  }
});

/** A program made of shell lines. */
export function writeProgram(path: string, ...lines: string[]): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, ['#!/bin/sh', ...lines, ''].join('\n'));
  chmodSync(path, 0o755);
  return path;
}

/** Looks like the CLI to whoever asks for its version. */
export function writeFakeCli(path: string, serverVersion = '1.31.2'): string {
  return writeProgram(path, `echo "temporal version 9.9.9 (Server ${serverVersion}, UI 2.50.1)"`);
}
