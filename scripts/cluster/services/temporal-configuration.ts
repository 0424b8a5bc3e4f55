import type { Postgres } from './postgres';

/** Settings of the server: those that the dev server of `baton dev` has too, for the same reasons. */
export const serverSettings = Object.fromEntries(
  Object.entries({
    'history.transferProcessorMaxPollRPS': 1000,
    'history.timerProcessorMaxPollRPS': 1000,
    'history.timerProcessorMaxTimeShift': '10ms',
    'frontend.enableServerVersionCheck': false,
    'system.enableActivityEagerExecution': true,
    'system.numConsecutiveWorkflowTaskProblemsToTriggerSearchAttribute': 2,
    'matching.enableFairness': true,
  }).map(([name, value]) => [name, [{ value }]]),
);

const services = ['frontend', 'history', 'matching', 'worker'] as const;

/** Returns the configuration of a server whose four services run in one process on loopback. */
export function serverConfiguration(postgres: Postgres, ports: readonly number[], settingsFile: string): object {
  const rpc = (index: number): object => ({
    grpcPort: ports[index],
    membershipPort: ports[index + services.length],
    bindOnLocalHost: true,
    ...(index === 0 && { httpPort: ports[services.length * 2] }),
  });
  return {
    log: { stdout: true, level: 'warn' },
    persistence: {
      defaultStore: 'default',
      visibilityStore: 'visibility',
      numHistoryShards: 4,
      datastores: {
        default: database(postgres, 'temporal', 20),
        visibility: database(postgres, 'temporal_visibility', 5),
      },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' } },
    services: Object.fromEntries(services.map((name, index) => [name, { rpc: rpc(index) }])),
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: {
          enabled: true,
          initialFailoverVersion: 1,
          rpcName: 'frontend',
          rpcAddress: `127.0.0.1:${ports[0] ?? 0}`,
        },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    dynamicConfigClient: { filepath: settingsFile, pollInterval: '60s' },
  };
}

function database({ port, user, password }: Postgres, databaseName: string, maxConns: number): object {
  const connection = { connectAddr: `127.0.0.1:${port}`, connectProtocol: 'tcp', user, password };
  return {
    sql: {
      pluginName: 'postgres12',
      databaseName,
      ...connection,
      maxConns,
      maxIdleConns: maxConns,
      maxConnLifetime: '1h',
    },
  };
}
