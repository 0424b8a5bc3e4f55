import { describeQueueProblems, type QueueState } from '../../../client/why/task-queues';
import { say } from '../../../testing/scripted-model';
import { Stand } from '../support/stand';

interface Finding {
  readonly name: string;
  readonly state: string;
  readonly fix?: string;
}

describe('doctor', () => {
  let stand: Stand;
  beforeAll(async () => {
    stand = await Stand.start(() => say('Hello.'));
  });
  afterAll(() => stand.close());

  const findings = (stdout: string): Finding[] => JSON.parse(stdout) as Finding[];
  const stateOf = (stdout: string, wanted: string): string | undefined =>
    findings(stdout).find(({ name }) => name === wanted)?.state;

  test('finds everything in order', async () => {
    // Not every machine has bubblewrap.
    const { stdout, stderr, exitCode } = await stand.batonWith({ BATON_SANDBOX: 'unsafe' }, 'doctor', '--json');
    expect(findings(stdout).map(({ name, state }) => `${name} ${state}`)).toEqual([
      'Node.js ok',
      'Settings ok',
      'Store ok',
      'Model ok',
      'Commands ok',
      'MCP servers ok',
      'Temporal ok',
      'Search attributes ok',
      'Worker ok',
      'Workflow tasks ok',
      'Encryption ok',
      'Orphans ok',
    ]);
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect((await stand.baton('doctor')).stdout).toMatch(/^✓ Temporal: server \d+\.\d+\.\d+, namespace default/m);
  });

  test('says that the server cannot be reached, and exits with 3', async () => {
    const { stdout, stderr, exitCode } = await stand.batonWith({ TEMPORAL_ADDRESS: '127.0.0.1:1' }, 'doctor');
    expect(stdout).toMatch(
      /^✗ Temporal: Cannot connect to Temporal at 127\.0\.0\.1:1.*\n {4}→ Check TEMPORAL_ADDRESS/m,
    );
    expect(stdout).toMatch(/^✓ Store/m);
    expect(stderr).toBe('Not working: Temporal.\n');
    expect(exitCode).toBe(3);
  });

  test('only warns when there is no API key, because a worker elsewhere may have one', async () => {
    const { stdout, exitCode } = await stand.batonWith({ ANTHROPIC_API_KEY: '' }, 'doctor', '--json');
    expect(stateOf(stdout, 'Model')).toBe('warn');
    expect(exitCode).toBe(0);
  });

  test('only warns when commands have no sandbox, and says how to get one', async () => {
    const { stdout, exitCode } = await stand.batonWith({ BATON_SANDBOX: 'off' }, 'doctor');
    expect(stdout).toMatch(/^! Commands: sandbox: none: BATON_SANDBOX is off, so .*\n {4}→ Install bubblewrap/m);
    expect(exitCode).toBe(0);
  });

  test('says what is wrong with the model', async () => {
    const unreachable = await stand.batonWith({ ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' }, 'doctor', '--json');
    expect(stateOf(unreachable.stdout, 'Model')).toBe('fail');
    const unknown = await stand.batonWith({ BATON_MODEL: 'gpt-0' }, 'doctor');
    expect(unknown.stdout).toMatch(/^✗ Model: .* answered 404 for gpt-0\n {4}→ Set BATON_MODEL/m);
    expect(unknown.exitCode).toBe(3);
  });

  test('warns when no worker polls the task queue', async () => {
    const { stdout, exitCode } = await stand.batonWith({ BATON_TASK_QUEUE: 'nobody-here' }, 'doctor');
    expect(stdout).toMatch(/^! Worker: none on task queue "nobody-here", so runs will wait\n {4}→ .*baton worker/m);
    expect(exitCode).toBe(0);
  });

  test('names a missing role and slots that are in use, and both where it cannot tell them apart', () => {
    const queue = (kind: QueueState['kind'], workers: number, waitedMs: number): QueueState => {
      return { kind, taskQueue: `q-${kind}`, workers, builds: new Map(), waiting: waitedMs > 0 ? 2 : 0, waitedMs };
    };
    expect(describeQueueProblems([queue('workflow', 1, 0), queue('model', 1, 0)])).toBeUndefined();
    const { detail, fix } = describeQueueProblems([
      queue('workflow', 1, 0),
      queue('model', 1, 5_000),
      queue('tool', 0, 5_000),
      queue('control', 0, 0),
    ])!;
    expect(detail.split('; ')).toEqual([
      'all slots for model calls are in use: 2 tasks waiting on task queue "q-model", the oldest for 5.0 s',
      'no worker is polling task queue "q-tool": either no worker does tools, or all slots for tools are in use',
      'no worker does control work (task queue "q-control")',
    ]);
    for (const setting of ['BATON_MODEL_SLOTS', 'BATON_TOOL_SLOTS', 'BATON_WORKER_ROLES'])
      expect(fix).toContain(setting);
  });

  test('says what is wrong with a setting, once', async () => {
    const { stdout, exitCode } = await stand.batonWith({ BATON_WINDOW: 'wide' }, 'doctor', '--json');
    expect(findings(stdout).filter(({ state }) => state === 'fail')).toMatchObject([{ name: 'Settings' }]);
    expect(exitCode).toBe(3);
  });
});
