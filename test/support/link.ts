import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * The network between a program and the Temporal server. It can be cut: nothing arrives any more on either side, and no
 * connection ends, as when a cable is pulled.
 */
export class Link {
  private isCut = false;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly target: number,
    /** The port that it listens on, or has listened on. */
    readonly port: number,
  ) {}

  /** Leads to an address, from any port or from the one that is named. */
  static async to(address: string, port = 0): Promise<Link> {
    const server = createServer();
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const target = Number(address.slice(address.lastIndexOf(':') + 1));
    const link = new Link(server, target, (server.address() as AddressInfo).port);
    server.on('connection', (socket) => {
      link.join(socket);
    });
    return link;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
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
    if (!this.server.listening) return;
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
