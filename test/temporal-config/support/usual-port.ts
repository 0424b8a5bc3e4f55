import { createServer, type Server } from 'node:net';

/** Keeps Temporal's usual port busy; if somebody else does so already, all the better. */
export async function occupyUsualPort(): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.once('error', () => {
      resolve();
    });
    server.listen(7233, '127.0.0.1', resolve);
  });
  return server;
}
