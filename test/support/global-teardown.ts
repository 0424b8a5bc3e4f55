import { testServer } from './test-server';

export default async function tearDown(): Promise<void> {
  const { started } = testServer;
  testServer.started = undefined;
  await started?.close();
}
