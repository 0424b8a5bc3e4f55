import { type AddressInfo, createServer } from 'node:net';
import { isLoopbackAddress, listenersOf } from '../../../temporal-config/dev-server/ports';

test.each([
  ['127.0.0.1', '0100007F', true],
  ['127.8.8.8', '0808087F', true],
  ['0.0.0.0', '00000000', false],
  ['192.168.0.1', '0100A8C0', false],
  ['126.0.0.127', '7F00007E', false],
  ['::1', '00000000000000000000000001000000', true],
  ['::', '00000000000000000000000000000000', false],
  ['::ffff:127.0.0.1', '0000000000000000FFFF00000100007F', true],
  ['::ffff:10.0.0.1', '0000000000000000FFFF00000100000A', false],
])('%s, printed as %s: loopback is %p', (_, printed, expected) => {
  expect(isLoopbackAddress(printed)).toBe(expected);
});

test('the sockets of a process are found', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const found = (await listenersOf(process.pid))?.find((listener) => listener.port === port);
  server.close();
  if (process.platform === 'linux') expect(found?.isLoopback).toBe(true);
  else expect(found).toBeUndefined();
});
