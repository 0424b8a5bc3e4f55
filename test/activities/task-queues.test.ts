import { polledQueues } from '../../worker/plugin/polled-queues';

const namesOf = (queues: ReturnType<typeof polledQueues>): readonly string[] =>
  queues.map(({ hasWorkflows, options }) => `${hasWorkflows ? 'workflows ' : ''}${options.taskQueue}`);

describe('the task queues of a worker', () => {
  test('without roles and limits are three, with the slots of old', () => {
    const queues = polledQueues({ taskQueue: 'q', limits: {} });
    expect(namesOf(queues)).toEqual(['workflows q', 'q-tools', 'q-control']);
    expect(queues[0]?.options).toEqual({
      taskQueue: 'q',
      maxConcurrentActivityTaskExecutions: 100,
      maxConcurrentWorkflowTaskExecutions: 40,
    });
  });

  test('with limits include one for each, whose rate the server keeps', () => {
    const limits = { 'claude-*': { requestsPerMinute: 120, concurrent: 4 }, 'openai:*': { tokensPerMinute: 1_000 } };
    const queues = polledQueues({ taskQueue: 'q', limits, pollers: { activity: 3 } });
    expect(namesOf(queues)).toEqual(['workflows q', 'q-models-claude-*', 'q-models-openai:*', 'q-tools', 'q-control']);
    expect(queues[1]?.options).toEqual({
      taskQueue: 'q-models-claude-*',
      maxConcurrentActivityTaskPolls: 3,
      maxConcurrentActivityTaskExecutions: 4,
      maxTaskQueueActivitiesPerSecond: 2,
    });
    expect(queues[2]?.options).not.toHaveProperty('maxTaskQueueActivitiesPerSecond');
  });

  test.each([
    [['agents'], ['workflows q']],
    [['models'], ['q', 'q-models-claude-*']],
    [['tools'], ['q-tools']],
    [
      ['control', 'agents'],
      ['workflows q', 'q-control'],
    ],
  ] as const)('with the roles %j are %j', (roles, expected) => {
    const queues = polledQueues({ taskQueue: 'q', roles, limits: { 'claude-*': { concurrent: 1 } } });
    expect(namesOf(queues)).toEqual(expected);
  });

  test('of an agents-only worker run no activities', () => {
    const [queue] = polledQueues({ taskQueue: 'q', roles: ['agents'], limits: {} });
    expect(queue?.options.enableNonLocalActivities).toBe(false);
  });

  test.each([[[]], [['cooks']]])('with the roles %j are refused', (roles) => {
    expect(() => polledQueues({ taskQueue: 'q', roles: roles as never, limits: {} })).toThrow(
      'Use one or more of: agents',
    );
  });
});
