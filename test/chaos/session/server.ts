import { existsSync } from 'node:fs';
import { type DevServer, ensureDevServer } from '../../../temporal-config/dev-server/dev-server';
import { connectClient, type ConnectedClient } from '../../../temporal-config/node/connect-client';
import { devServerConnection } from '../../../temporal-config/node/connection';
import { registerSearchAttributes } from '../../../temporal-config/node/search-attributes-setup';
import { until } from '../../support/until';

/** A Temporal server on a database of its own, which can be killed and started again on it. */
export class OwnServer {
  private constructor(
    private readonly stateDir: string,
    private readonly first: DevServer,
    private current: DevServer,
    readonly connected: ConnectedClient,
  ) {}

  static async start(stateDir: string): Promise<OwnServer> {
    const server = await ensureDevServer({ stateDir, ports: { grpc: 0, ui: 0 } });
    const connected = await connectClient(devServerConnection(server));
    await registerSearchAttributes(connected.connection, server.namespace);
    return new OwnServer(stateDir, server, server, connected);
  }

  get address(): string {
    return this.first.address;
  }

  /** Kills the server without warning and returns when its process is gone. */
  async kill(): Promise<void> {
    const { pid } = this.current;
    process.kill(pid, 'SIGKILL');
    await until(() => (existsSync(`/proc/${pid}`) ? undefined : true), 10_000).catch(() => undefined);
  }

  /** Starts it again, on the same database and at the same address. */
  async restart(): Promise<void> {
    const started = await ensureDevServer({ stateDir: this.stateDir });
    if (started.address !== this.address)
      throw new Error(`The server came back at ${started.address} instead of ${this.address}`);
    if (this.current !== this.first) await this.current.release();
    this.current = started;
  }

  async close(): Promise<void> {
    await this.connected.close();
    if (this.current !== this.first) await this.current.release();
    await this.first.release();
  }
}
