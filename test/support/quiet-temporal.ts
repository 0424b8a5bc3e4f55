import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';

// Tests provoke failures on purpose; only what nobody expected should be seen.
Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) } },
  shutdownSignals: [],
});
