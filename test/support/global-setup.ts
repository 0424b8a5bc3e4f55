import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestServer } from '../../testing/test-server';
import { bundlesVariable } from './bundle-once';
import { testServer } from './test-server';

/** One server for all test files. Each file has its own task queue and store. */
export default async function setUp(): Promise<void> {
  if (testServer.started !== undefined) return;
  // The servers of tests are small: they need memory less than the processor's time.
  process.env['GOGC'] ??= '400';
  const server = await startTestServer();
  testServer.started = server;
  process.env['BATON_TEST_ADDRESS'] = server.address;
  // Tests stop workers in the middle of calls that would never end.
  process.env['BATON_SHUTDOWN_GRACE'] = '0';
  process.env['BATON_TEST_UI'] = server.uiUrl;
  process.env[bundlesVariable] = mkdtempSync(join(tmpdir(), 'baton-test-bundles-'));
}
