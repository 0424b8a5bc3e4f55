import type { TestServer } from '../../testing/test-server';

/**
 * Jest runs the setup of each tier in the same process but in a separate module registry, so this is stored on the
 * process.
 */
const holder = process as NodeJS.Process & { batonTestServer?: TestServer | undefined };

export const testServer = {
  get started(): TestServer | undefined {
    return holder.batonTestServer;
  },
  set started(value: TestServer | undefined) {
    holder.batonTestServer = value;
  },
};
