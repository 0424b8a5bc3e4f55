import { rm } from 'node:fs/promises';
import { testServer } from './test-server';

export default async function tearDown(): Promise<void> {
  const { started } = testServer;
  if (started === undefined) return;
  testServer.started = undefined;
  await started.server.release();
  await rm(started.stateDir, { recursive: true, force: true });
}
