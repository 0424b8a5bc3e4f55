import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectClient } from '../../../temporal-config/node/connect-client';

const unimplemented = '12';
const unavailable = '14';

test('a connection can be closed while a request waits to be repeated, and the request fails', async () => {
  const requests: string[] = [];
  const server = createServer().on('stream', (stream, { ':path': path = '' }) => {
    requests.push(path);
    const status = path.endsWith('GetSystemInfo') ? unimplemented : unavailable;
    stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': status }, { endStream: true });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const target = { kind: 'configured', connectionOptions: { address }, namespace: 'default' } as const;
  const { client, close } = await connectClient({ ...target, describe: 'a server that is unavailable' });
  const before = requests.length;
  const asked = client.workflow.getHandle('run/r1').describe();
  const failed = expect(asked).rejects.toThrow();
  while (requests.length === before) await sleep(1);
  // Until the answer has arrived. The request is repeated after a tenth of a second or more.
  await sleep(50);
  await close();
  await failed;
  // Without a wait, the repetition would have thrown in a timer by now.
  await sleep(500);
  await new Promise((resolve) => server.close(resolve));
});
