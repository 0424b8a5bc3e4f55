import { rmSync } from 'node:fs';
import { bundlesVariable } from './bundle-once';
import { testServer } from './test-server';

export default async function tearDown(): Promise<void> {
  const { started } = testServer;
  testServer.started = undefined;
  await started?.close();
  const bundles = process.env[bundlesVariable];
  if (bundles !== undefined) rmSync(bundles, { recursive: true, force: true });
}
