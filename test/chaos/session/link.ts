import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * The network between a worker and the Temporal server. It can be cut: nothing arrives any more on either side, and no
 * connection ends, as when a cable is pulled.
 */
export class Link {
  private isCut = false;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly target: number,
  ) {}

  static async to(address: string): Promise<Link> {
    const server = createServer((socket) => {
      link.join(socket);
    });
    const link: Link = new Link(server, Number(address.slice(address.lastIndexOf(':') + 1)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return link;
  }

  get address(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.pause();
  }

  mend(): void {
    this.isCut = false;
    for (const socket of this.sockets) socket.resume();
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private join(near: Socket): void {
    const far = connect(this.target, '127.0.0.1');
    this.relay(near, far);
    this.relay(far, near);
  }

  private relay(from: Socket, to: Socket): void {
    this.sockets.add(from);
    from.setNoDelay(true);
    from.on('data', (bytes) => {
      if (!to.destroyed) to.write(bytes);
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      this.sockets.delete(from);
      to.destroy();
    });
    if (this.isCut) from.pause();
  }
}
