import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { transformFileSync } from '@swc/core';
import type { DevServer, DevServerOptions } from '../../../temporal-config/dev-server/dev-server';
import { scratchFolder } from './scratch';

const root = join(__dirname, '..', '..', '..');
const source = join(root, 'temporal-config');

/** Compiles temporal-config, because plain Node must run it and dist/ may be older than the sources. */
export function compileForNode(): string {
  const target = scratchFolder();
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  for (const file of files) {
    const { code } = transformFileSync(join(source, file), {
      jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
      module: { type: 'commonjs' },
    });
    const output = join(target, relative('.', file).replace(/\.ts$/, '.js'));
    mkdirSync(dirname(output), { recursive: true });
    writeFileSync(output, code);
  }
  writeFileSync(join(target, 'user.js'), userProgram);
  return target;
}

/** Uses the dev server of a folder until its standard input ends. */
const userProgram = `
const { ensureDevServer } = require('./dev-server/dev-server');
ensureDevServer(JSON.parse(process.argv[2])).then(async (server) => {
  console.log(JSON.stringify(server));
  process.stdin.resume().once('end', () => server.release().then(() => process.exit(0)));
}, (error) => { console.error(error); process.exit(1); });
`;

export interface OtherProcess {
  readonly process: ChildProcess;
  readonly server: Promise<DevServer>;
  /** Makes it release the server and exit; resolves to its exit code. */
  leave(): Promise<number | null>;
  /** Kills it, so that it cannot release the server. */
  crash(): Promise<void>;
}

export function startOtherProcess(compiled: string, options: DevServerOptions): OtherProcess {
  const child = spawn(process.execPath, [join(compiled, 'user.js'), JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NODE_PATH: join(root, 'node_modules') },
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const server = new Promise<DevServer>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => {
      resolve(JSON.parse(line) as DevServer);
    });
    void exited.then((code) => {
      reject(new Error(`the other process ended with ${String(code)}`));
    });
  });
  return {
    process: child,
    server,
    leave: () => (child.stdin.end(), exited),
    crash: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
