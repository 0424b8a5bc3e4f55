import { openFileStore } from '../store/file/open-file-store';
import { connectClient } from '../temporal-config/node/connect-client';
import { resolveConnection } from '../temporal-config/node/connection';
import { readSettings } from '../temporal-config/node/settings';
import type { Terminal } from './context';
import type { CliContext } from './context-merging';

/** Creates the context with the real terminal, environment, server and store. */
export function processContext(): CliContext {
  return {
    terminal: processTerminal(),
    settings: () => readSettings(),
    async connect() {
      const resolved = await resolveConnection({ stateDir: readSettings().stateDir });
      const { client, close } = await connectClient(resolved);
      return { client, namespace: resolved.namespace, uiUrl: resolved.uiUrl, close };
    },
    openStore: () => openFileStore(readSettings().storeDir),
  };
}

function processTerminal(): Terminal {
  return {
    print: (line) => void process.stdout.write(`${line}\n`),
    write: (bytes) => void process.stdout.write(bytes),
    note: (line) => void process.stderr.write(`${line}\n`),
    isInteractive: process.stderr.isTTY,
    async readStdin() {
      const chunks: Buffer[] = [];
      for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks);
    },
  };
}
