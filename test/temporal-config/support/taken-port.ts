import { createServer, type AddressInfo, type Server } from 'node:net';

/** Occupies a port. */
export async function takePort(): Promise<{ port: number; holder: Server }> {
  const holder = createServer();
  await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
  return { port: (holder.address() as AddressInfo).port, holder };
}
