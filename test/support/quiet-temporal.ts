import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';

// Tests cause failures on purpose; only unexpected ones should be logged.
Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) } },
  shutdownSignals: [],
});
