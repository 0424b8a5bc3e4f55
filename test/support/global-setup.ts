import { startTestServer } from '../../testing/test-server';
import { testServer } from './test-server';

/** One server for all test files. Each file has its own task queue and store. */
export default async function setUp(): Promise<void> {
  if (testServer.started !== undefined) return;
  const server = await startTestServer();
  testServer.started = server;
  process.env['BATON_TEST_ADDRESS'] = server.address;
  process.env['BATON_TEST_UI'] = server.uiUrl;
}
