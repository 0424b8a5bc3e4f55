import type { DevServer } from '../../temporal-config/dev-server/dev-server';

interface StartedServer {
  readonly server: DevServer;
  readonly stateDir: string;
}

/**
 * Jest runs the setup of each tier in the same process but in a separate module registry, so this is stored on the
 * process.
 */
const holder = process as NodeJS.Process & { batonTestServer?: StartedServer | undefined };

export const testServer = {
  get started(): StartedServer | undefined {
    return holder.batonTestServer;
  },
  set started(value: StartedServer | undefined) {
    holder.batonTestServer = value;
  },
};
