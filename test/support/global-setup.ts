import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { ensureDevServer } from '../../temporal-config/dev-server/dev-server';
import { registerSearchAttributes } from '../../temporal-config/node/search-attributes-setup';
import { testServer } from './test-server';

/** One server for all test files. Each file has its own task queue and store. */
export default async function setUp(): Promise<void> {
  if (testServer.started !== undefined) return;
  const stateDir = await mkdtemp(join(tmpdir(), 'baton-test-server-'));
  const server = await ensureDevServer({ stateDir, log: (line) => process.stderr.write(`${line}\n`) });
  testServer.started = { server, stateDir };
  const connection = await Connection.connect({ address: server.address });
  await registerSearchAttributes(connection, 'default');
  await connection.close();
  process.env['BATON_TEST_ADDRESS'] = server.address;
  process.env['BATON_TEST_UI'] = server.uiUrl;
}
