import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { Worker, type NativeConnection, type WorkerOptions } from '@temporalio/worker';
import { activityBoundary } from '../activities/boundary';
import { createActivities } from '../activities/create-activities';
import type { ModelPort } from '../activities/ports';
import { builtInTools } from '../activities/tools';
import type { Tool } from '../activities/tools/tool';
import { InvalidInputError } from '../domain/errors';
import type { Store } from '../domain/store/store';
import { builtinPrompts, createRegistry, type PromptDefinition } from '../domain/prompt';
import type { SkillDefinition, SkillLoader } from '../domain/skill';
import { defaultTaskQueue } from '../temporal-config/task-queues';
import { sharedModules } from './shared-modules';
import type { Traces } from './telemetry';
import { countRetries } from './telemetry-retries';

export interface BatonWorkerOptions {
  readonly connection: NativeConnection;
  /** On a connection of its own: for waiting on delegations of earlier executions. */
  readonly client: Client;
  readonly namespace: string;
  readonly store: Store;
  readonly model: ModelPort;
  readonly taskQueue?: string;
  /** Tools besides the built-in ones. */
  readonly tools?: readonly Tool[];
  /** Prompts that agents may dispatch, besides the built-in ones. */
  readonly prompts?: readonly PromptDefinition[];
  /**
   * Skills that agents may dispatch. A function is asked whenever a run starts, so that new files are found without a
   * restart; runs under way keep what they started with.
   */
  readonly skills?: readonly SkillDefinition[] | SkillLoader;
  /** Whether the namespace has Baton's search attributes; without them runs work, but can't be found by status. */
  readonly searchAttributes?: boolean;
  /** Workflow code bundled beforehand; by default what the build of Baton made. */
  readonly workflowBundlePath?: string;
  /**
   * Entry with a project's own slices, which exports what `createWorkflows` makes. Bundled when the worker starts, and
   * stronger than a bundle made beforehand.
   */
  readonly workflowsPath?: string;
  /** How long a workflow waits for the worker it was on before another one takes it. */
  readonly stickyTimeoutMs?: number;
  /** Traces of everything that this worker does. A bundle made beforehand must then hold `traces.workflowModules`. */
  readonly traces?: Traces;
}

/** A worker for runs and everything they do. */
export function createBatonWorker(options: BatonWorkerOptions): Promise<Worker> {
  const { connection, namespace, searchAttributes = false, stickyTimeoutMs, store, model, client, traces } = options;
  const tools = distinct([...builtInTools, ...(options.tools ?? [])]);
  const prompts = createRegistry([...builtinPrompts, ...(options.prompts ?? [])]).list();
  const code = workflowCode(options);
  const { skills: given = [] } = options;
  const skills = typeof given === 'function' ? given : () => Promise.resolve(given);
  return Worker.create({
    connection,
    namespace,
    taskQueue: options.taskQueue ?? defaultTaskQueue,
    // Six events of every turn carry it, so it is short; the default is as long as their other contents together.
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- versioning is off; this only names the build
    buildId: 'baton',
    ...code,
    activities: createActivities({ store, model, tools, prompts, skills, client, searchAttributes }),
    interceptors: {
      activity: [...(traces ? [traces.activity] : []), countRetries, () => ({ inbound: activityBoundary })],
      ...(traces && 'workflowsPath' in code ? { workflowModules: [...traces.workflowModules] } : {}),
    },
    ...(traces ? { sinks: traces.sinks } : {}),
    // Told to stop, activities hand over at once; one that doesn't must not keep the process for ever.
    shutdownForceTime: '10 seconds',
    // Cancellation arrives with heartbeats, so they must not be held back for long.
    maxHeartbeatThrottleInterval: '2 seconds',
    defaultHeartbeatThrottleInterval: '2 seconds',
    ...(stickyTimeoutMs === undefined ? {} : { stickyQueueScheduleToStartTimeout: stickyTimeoutMs }),
  });
}

/** A model chooses tools by name: two of the same name could not be told apart. */
function distinct(tools: readonly Tool[]): readonly Tool[] {
  const names = tools.map(({ description }) => description.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return tools;
  throw new InvalidInputError('tools', `there are two tools named "${twice}"`, 'Give one of them another name.');
}

type WorkflowCode = Pick<WorkerOptions, 'workflowBundle' | 'workflowsPath' | 'bundlerOptions'>;

/** All workers of a release run the same bytes, and start at once; without a build the sources are bundled now. */
function workflowCode({
  traces,
  workflowsPath,
  workflowBundlePath: codePath = join(__dirname, '..', `workflow-bundle${traces ? '-traced' : ''}.js`),
}: BatonWorkerOptions): WorkflowCode {
  if (workflowsPath === undefined) {
    return existsSync(codePath) ? { workflowBundle: { codePath } } : { workflowsPath: require.resolve('../workflows') };
  }
  // Only compiled modules have exports of the kind that can be shared.
  if (!__filename.endsWith('.js')) return { workflowsPath };
  return { workflowsPath, bundlerOptions: sharedModules([require.resolve('../workflows/extend')]) };
}
