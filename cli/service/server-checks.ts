import { temporal } from '@temporalio/proto';
import type { CliContext, OpenConnection } from '../context-merging';
import { checkSearchAttributes } from '../../temporal-config/node/search-attributes-setup';
import type { Check } from './check';

/** Returns the checks that need a connection. */
export function serverChecks(context: CliContext, connected: OpenConnection): Check[] {
  return [serverCheck(connected), searchAttributesCheck(connected), workerCheck(context, connected)];
}

function serverCheck({ client, namespace, uiUrl }: OpenConnection): Check {
  return {
    name: 'Temporal',
    async run() {
      const { serverVersion } = await client.workflowService.getSystemInfo({});
      const ui = uiUrl === undefined ? '' : `, Web UI at ${uiUrl}`;
      return { state: 'ok', detail: `server ${serverVersion}, namespace ${namespace}${ui}` };
    },
  };
}

function searchAttributesCheck({ client, namespace }: OpenConnection): Check {
  return {
    name: 'Search attributes',
    async run() {
      const report = await checkSearchAttributes(client.connection, namespace);
      const wrong = [...report.missing, ...report.conflicts];
      if (wrong.length === 0) return { state: 'ok', detail: 'all registered' };
      return {
        state: 'warn',
        detail: `missing: ${wrong.join(', ')}`,
        fix: `A worker adds them when it starts, if it has permission. To add them by hand: ${report.commands.join(' && ')}`,
      };
    },
  };
}

function workerCheck({ settings }: CliContext, { client, namespace }: OpenConnection): Check {
  return {
    name: 'Worker',
    async run() {
      const { taskQueue } = settings();
      const { pollers } = await client.workflowService.describeTaskQueue({
        namespace,
        taskQueue: { name: taskQueue },
        taskQueueType: temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
      });
      const alive = pollers.length;
      if (alive > 0) return { state: 'ok', detail: `${alive} on task queue "${taskQueue}" in the last few minutes` };
      return {
        state: 'warn',
        detail: `none on task queue "${taskQueue}", so runs will wait`,
        fix: 'Start one with: baton worker',
      };
    },
  };
}
