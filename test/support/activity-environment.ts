import type { Client } from '@temporalio/client';
import { createActivities } from '../../activities/create-activities';
import type { ModelPort } from '../../activities/dependencies';
import type { AgentActivities } from '../../activities/interface';
import type { Tool } from '../../activities/tool/define-tool';
import type { Store } from '../../domain/store';
import type { Info } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger, type LogEntry } from '@temporalio/worker';
import { activityBoundary } from '../../activities/boundary';

/** The environment of an activity as on a worker, but without logging a stack for every expected failure. */
export function quietEnvironment(info: Partial<Info> = {}): MockActivityEnvironment {
  return new MockActivityEnvironment(info, {
    logger: new DefaultLogger('ERROR'),
    interceptors: [() => ({ inbound: activityBoundary() })],
  });
}

/** The environment of an activity as on a worker, whose log lines of level INFO and above are added to `logged`. */
export function loggedEnvironment(logged: LogEntry[]): MockActivityEnvironment {
  return new MockActivityEnvironment(
    {},
    {
      logger: new DefaultLogger('INFO', (entry) => logged.push(entry)),
      interceptors: [() => ({ inbound: activityBoundary() })],
    },
  );
}

/** One activity as the server sees it: it counts the attempts, and keeps the details of the last heartbeat. */
export class Attempts {
  private attempt = 0;
  private heartbeatDetails: unknown;

  constructor(
    private readonly activityType: string,
    /** Run id of the workflow execution that scheduled it. */
    private readonly runId = 'first',
  ) {}

  /** Makes the next attempt. */
  async next<Input, Result>(activity: (input: Input) => Promise<Result>, input: Input): Promise<Result> {
    const { activityType, heartbeatDetails } = this;
    this.attempt += 1;
    const workflowExecution = { workflowId: 'test', runId: this.runId };
    const environment = quietEnvironment({ activityType, heartbeatDetails, attempt: this.attempt, workflowExecution });
    environment.on('heartbeat', (details: unknown) => {
      this.heartbeatDetails = details;
    });
    return environment.run(activity, input);
  }

  /** What the worker that made the last attempt would have sent is lost with it. */
  forgetHeartbeats(): void {
    this.heartbeatDetails = undefined;
  }
}

/** All activities, for tests that call some of them without a server or prompts. */
export function activitiesFor(store: Store, model: ModelPort, tools: readonly Tool[] = []): AgentActivities {
  return createActivities({
    store,
    model,
    tools,
    prompts: [],
    client: {} as Client,
    searchAttributes: false,
    place: () => Promise.resolve(undefined),
  });
}
