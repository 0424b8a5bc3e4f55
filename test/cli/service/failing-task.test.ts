import { fork } from 'node:child_process';
import { join } from 'node:path';
import { runWorkflowId } from '../../../domain/kernel';
import { reportedProblemsQuery } from '../../../temporal-config/node/failing-tasks';
import { createGate, say } from '../../../testing/scripted-model';
import { projectRoot, typescriptHook } from '../../support/paths';
import { RawRequests } from '../../support/raw-requests';
import { until } from '../../support/until';
import { RunningCommand } from '../support/process';
import { Stand } from '../support/stand';

describe('a workflow task that fails again and again', () => {
  const gate = createGate();
  let stand: Stand;
  let changed: RunningCommand | undefined;
  let runId: string;

  /** Starts a worker whose workflow code can't replay what the previous one ran. */
  const startChanged = async (): Promise<RunningCommand> => {
    const child = fork(join(projectRoot, 'test', 'support', 'process', 'changed-worker.ts'), {
      env: { ...process.env, ...stand.env },
      execArgv: ['-r', typescriptHook],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    changed = new RunningCommand(child);
    await changed.said('Worker on task queue');
    return changed;
  };

  const requests = (): RawRequests => new RawRequests(stand.client, runWorkflowId(runId));

  beforeAll(async () => {
    stand = await Stand.start(async () => {
      await gate.opened;
      return say('It is done.');
    });
    runId = stand.newId();
    await stand.baton('run', 'Wait for it.', '--id', runId);
    await until(() => stand.model.calls.length > 0 || undefined);
    await stand.stopWorker();
    await startChanged();
  });
  afterAll(async () => {
    await changed?.kill('SIGTERM');
    await stand.close();
  });

  test('is in the log of the worker, with what to do', async () => {
    await requests().signal('setPaused', []);
    await changed!.said(`WARN The workflow task of ${runWorkflowId(runId)} failed and is being retried`);
    expect(changed!.stderr).toMatch(/Nondeterminism error.* Run the version .* See: baton why run\//);
  });

  test('is what `why` and `doctor` report', async () => {
    const why = await stand.baton('why', runId, '--json');
    expect(JSON.parse(why.stdout)).toMatchObject({
      verdict: 'waiting',
      type: 'WorkflowTaskFailed',
      message: expect.stringMatching(/no progress: .* \(attempt \d+\): .*Nondeterminism error/) as unknown,
      remedy: expect.stringContaining('continues by itself') as unknown,
      remarks: [
        expect.stringMatching(
          /^It last worked with workflow code [0-9a-z]{5}\. On task queue ".*": .*1 worker with [0-9a-z]{5}/,
        ) as unknown,
      ],
    });
    const doctor = await stand.baton('doctor');
    expect(doctor.stdout).toMatch(
      new RegExp(`^✗ Workflow tasks: the task of run/${runId} fails .*Nondeterminism`, 'm'),
    );
    // The worker that was stopped a moment ago still counts.
    expect(doctor.stdout).toMatch(
      /^! Worker: 2 on task queue ".*" with different workflow code: .*\n {4}→ Run the same/m,
    );
    expect(doctor).toMatchObject({ exitCode: 3, stderr: 'Not working: Workflow tasks.\n' });
  });

  test('is in the log of a worker that starts later', async () => {
    const query = `WorkflowId = '${runWorkflowId(runId)}' AND ${reportedProblemsQuery}`;
    await until(async () => ((await stand.client.workflow.count(query)).count > 0 ? true : undefined));
    await changed!.kill('SIGTERM');
    await startChanged();
    await changed!.said(`WARN The workflow task of ${runWorkflowId(runId)} has failed`);
  });

  test('ends when the right worker is back: an empty signal is ignored with a warning, and nothing is left to report', async () => {
    await changed!.kill('SIGTERM');
    const worker = await stand.startWorker();
    await requests().signal('setPaused', []);
    await worker.said('WARN Ignored the Signal setPaused: input: ');
    gate.open();
    expect(await stand.client.workflow.getHandle(runWorkflowId(runId)).result()).toMatchObject({
      answer: { text: 'It is done.' },
    });
    expect((await stand.baton('doctor')).exitCode).toBe(0);
    expect(JSON.parse((await stand.baton('why', runId, '--json')).stdout)).toMatchObject({ verdict: 'completed' });
  });
});
