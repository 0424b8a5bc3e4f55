import { plural } from '../../client/format';
import { describeBuilds, describeQueueProblems, differentCodeRemedy, readQueues } from '../../client/why/task-queues';
import { defaultModel, defaultProvider, parseModelName } from '../../domain/model';
import { StoreError } from '../../domain/store';
import { listFailingTasks, reportedProblemsQuery } from '../../temporal-config/node/failing-tasks';
import { checkSearchAttributes } from '../../temporal-config/node/search-attributes-setup';
import type { Settings } from '../../temporal-config/node/settings';
import type { CliContext, OpenConnection } from '../context';
import { storeRemedy } from '../explain';
import { checkChatServer } from './chat-server-check';

const oldestNode = [20, 19] as const;

/** Checks the version of Node.js. */
export const nodeCheck: Check = {
  name: 'Node.js',
  run() {
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
    const [minMajor, minMinor] = oldestNode;
    const recent = major > minMajor || (major === minMajor && minor >= minMinor);
    const fix = `Install Node.js ${minMajor}.${minMinor} or newer.`;
    return Promise.resolve(
      recent ? { state: 'ok', detail: process.version } : { state: 'fail', detail: process.version, fix },
    );
  },
};

/** Checks that all settings are valid. */
export function settingsCheck({ settings }: CliContext): Check {
  return {
    name: 'Settings',
    run() {
      const { stateDir, taskQueue } = settings();
      return Promise.resolve({ state: 'ok', detail: `state in ${stateDir}, task queue "${taskQueue}"` });
    },
  };
}

/**
 * Requests the model from the provider, which shows both that the provider can be reached and that it accepts the
 * key.
 */
export function modelCheck(settings: () => Settings, apiKey: string | undefined): Check {
  return {
    name: 'Model',
    async run() {
      const { modelBaseUrl = 'https://api.anthropic.com', model: configured = defaultModel } = settings();
      const { provider, model } = parseModelName(configured);
      if (provider !== defaultProvider) return checkChatServer(settings(), provider, model);
      if (apiKey === undefined || apiKey === '') {
        return {
          state: 'warn',
          detail: 'ANTHROPIC_API_KEY is not set here',
          fix: 'Set it for the worker, or use: baton dev --scripted',
        };
      }
      const signal = AbortSignal.timeout(10_000);
      const headers = { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' };
      const url = `${modelBaseUrl}/v1/models/${encodeURIComponent(model)}`;
      const response = await fetch(url, { headers, signal }).catch(() => undefined);
      if (response === undefined)
        return {
          state: 'fail',
          detail: `${modelBaseUrl} can't be reached`,
          fix: 'Check the network and ANTHROPIC_BASE_URL.',
        };
      if (response.ok) return { state: 'ok', detail: `${model} at ${modelBaseUrl}` };
      const fix =
        response.status === 404
          ? 'Set BATON_MODEL to a model that your key gives access to.'
          : 'Check ANTHROPIC_API_KEY.';
      return { state: 'fail', detail: `${modelBaseUrl} answered ${response.status} for ${model}`, fix };
    },
  };
}

/** The result of one check. */
export interface Finding {
  readonly name: string;
  /** `warn` means that Baton works but something is missing. */
  readonly state: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  readonly fix?: string;
}

/** One check of `baton doctor`. If it throws, the error becomes a failed finding. */
export interface Check {
  readonly name: string;
  run(): Promise<Omit<Finding, 'name'>>;
}

/** Runs the checks one after the other. */
export async function runChecks(checks: readonly Check[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { name, run } of checks) findings.push({ name, ...(await attempt(run)) });
  return findings;
}

async function attempt(run: Check['run']): Promise<Omit<Finding, 'name'>> {
  try {
    return await run();
  } catch (error) {
    return asFinding(error);
  }
}

function asFinding(error: unknown): Omit<Finding, 'name'> {
  const detail = error instanceof Error ? error.message : String(error);
  const fix = error instanceof StoreError ? storeRemedy : (error as { remedy?: unknown }).remedy;
  return { state: 'fail', detail, ...(typeof fix === 'string' ? { fix } : {}) };
}

/** Returns the checks that need a connection. */
export function serverChecks(context: CliContext, connected: OpenConnection): Check[] {
  return [
    serverCheck(connected),
    searchAttributesCheck(connected),
    workerCheck(context, connected),
    workflowTasksCheck(context, connected),
  ];
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

function workerCheck({ settings }: CliContext, { client }: OpenConnection): Check {
  return {
    name: 'Worker',
    async run() {
      const { taskQueue } = settings();
      const queues = await readQueues(client, taskQueue);
      const workflows = queues.find(({ kind }) => kind === 'workflow');
      const alive = workflows?.workers ?? 0;
      if (alive === 0)
        return {
          state: 'warn',
          detail: `none on task queue "${taskQueue}", so runs will wait`,
          fix: 'Start one with: baton worker',
        };
      if (workflows !== undefined && workflows.builds.size > 1)
        return {
          state: 'warn',
          detail: `${alive} on task queue "${taskQueue}" with different workflow code: ${describeBuilds(workflows)}`,
          fix: differentCodeRemedy,
        };
      const problems = describeQueueProblems(queues);
      if (problems === undefined)
        return { state: 'ok', detail: `${alive} on task queue "${taskQueue}" in the last minute` };
      return {
        state: 'warn',
        detail: `${alive} on task queue "${taskQueue}", but ${problems.detail}`,
        fix: problems.fix,
      };
    },
  };
}

/** Maximum open workflows that are looked at one by one. The server reports a failing task only after some attempts. */
const inspectedWorkflows = 50;

/** Looks for workflows that make no progress because their workflow task fails. */
function workflowTasksCheck({ settings }: CliContext, { client }: OpenConnection): Check {
  return {
    name: 'Workflow tasks',
    async run() {
      const onQueue = `TaskQueue = ${JSON.stringify(settings().taskQueue)}`;
      const queries = [`${onQueue} AND ${reportedProblemsQuery}`, `${onQueue} AND ExecutionStatus = 'Running'`];
      const found = await Promise.all(queries.map((query) => listFailingTasks(client, query, inspectedWorkflows)));
      const failing = new Map(found.flat().map((task) => [task.workflowId, task]));
      const [first] = failing.values();
      if (first === undefined) return { state: 'ok', detail: 'none fails' };
      const others = failing.size === 1 ? '' : ` (and ${plural(failing.size - 1, 'more workflow')})`;
      return {
        state: 'fail',
        detail: `the task of ${first.workflowId}${others} fails again and again: ${first.message}`,
        fix: `${first.remedy} See: baton why ${first.workflowId}`,
      };
    },
  };
}
