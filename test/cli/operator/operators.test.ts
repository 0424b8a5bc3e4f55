import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { batonRun } from '../../../client';
import { agentExecutions, parkedQuery, subtreeQuery } from '../../../client/agent/find-agent';
import { reportedProblemsQuery } from '../../../temporal-config/node/failing-tasks';
import { until } from '../../support/until';
import { StandIn } from '../support/stand-in';
import type { Part } from '../support/stand-in-agents';

/** Takes a workflow task of a queue, if there is one, and fails it as a worker with a defect does. */
async function failTask({ connection, workflowService, options: { namespace } }: Client, name: string): Promise<void> {
  const poll = (): Promise<temporal.api.workflowservice.v1.IPollWorkflowTaskQueueResponse> =>
    workflowService.pollWorkflowTaskQueue({ namespace, taskQueue: { name } });
  const { taskToken } = await connection
    .withDeadline(Date.now() + 70_000, poll)
    .catch(() => ({ taskToken: undefined }));
  if (!taskToken?.length) return;
  const cause = temporal.api.enums.v1.WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR;
  await workflowService.respondWorkflowTaskFailed({ namespace, taskToken, cause, failure: { message: 'a defect' } });
}

describe('operators', () => {
  let stand: StandIn;
  beforeAll(async () => {
    stand = await StandIn.start();
  });
  afterAll(() => stand.close());

  /** The server's search index lags behind. */
  const listed = (runId: string, condition: string, count: number): Promise<true> =>
    until(async () => {
      const found = await agentExecutions(stand.client, `${subtreeQuery(`run/${runId}`)} AND ${condition}`);
      return found.length === count ? true : undefined;
    });
  /** Other tests start runs on the same server, and its search index lags behind. */
  const inList = (runId: string, status: string): Promise<true> =>
    until(async () => {
      const { stdout } = await stand.baton('list', '--status', status, '--limit', '1000');
      return stdout.includes(runId) || undefined;
    });
  const parked = (runId: string, count: number): Promise<true> => listed(runId, parkedQuery, count);
  const wide = (part: Omit<Part, 'runId'>): Record<string, Omit<Part, 'runId'>> =>
    Object.fromEntries(Array.from({ length: 150 }, (_, at) => [`d${at}`, at === 77 ? part : {}]));

  test('why finds the failed leaf of a tree of 150 agents, with a handful of calls', async () => {
    const failing = { fragile: true, children: { leaf: { failsWith: 'Model.BadRequest' } } };
    const runId = await stand.play({ fragile: true, children: wide(failing) });
    await batonRun(stand.client, runId).result();
    await listed(runId, `ExecutionStatus = 'Failed'`, 3);
    stand.calls.length = 0;
    const why = await batonRun(stand.client, runId).why();
    expect(stand.calls.length).toBeLessThanOrEqual(5 + 3);
    expect(why).toMatchObject({
      verdict: 'failed',
      path: [`run/${runId}`, `run/${runId}/d77`, `run/${runId}/d77/leaf`],
      type: 'Model.BadRequest',
      message: 'it said Model.BadRequest',
      remedy: expect.stringContaining('Read the message') as unknown,
    });
    const { stdout } = await stand.baton('why', runId);
    expect(stdout).toMatch(/^failed +root → d77 → leaf$/m);
    expect(stdout).toMatch(/^why +Model\.BadRequest: it said/m);
    const tree = await stand.baton('tree', runId);
    expect(tree.stdout).toMatch(/^✗ root {2}failed/);
    expect(tree.stdout).toMatch(/^├─ ✗ d77 {2}failed · Model\.BadRequest: it said/m);
    expect(tree.stdout).toMatch(/^└─ ✓ … 149 more completed$/m);
    expect(tree.stdout.trimEnd().split('\n')).toHaveLength(4);
  });

  test('why names a failed delegation although the run continued', async () => {
    const runId = await stand.play({ children: { one: {}, two: { failsWith: 'Model.Refused' } } });
    await batonRun(stand.client, runId).result();
    await listed(runId, `ExecutionStatus = 'Failed'`, 1);
    expect(await batonRun(stand.client, runId).why()).toMatchObject({
      verdict: 'completed',
      type: 'Model.Refused',
      path: [`run/${runId}`, `run/${runId}/two`],
    });
  });

  test('why says what a parked agent deep in a wide tree is waiting for, and how to answer; the answer reaches it', async () => {
    const runId = await stand.play({ children: wide({ children: { deep: { incidents: [{}] } } }) });
    await parked(runId, 1);
    stand.calls.length = 0;
    const { stdout } = await stand.baton('why', runId);
    expect(stand.calls.length).toBeLessThanOrEqual(5 + 3);
    expect(stdout).toMatch(/^waiting +root → d77 → deep$/m);
    expect(stdout).toMatch(/i1 \(turn 4\): Model\.Unauthorized: the key was not accepted/);
    expect(stdout).toContain(`baton retry ${runId}/d77/deep --incident i1`);
    await inList(runId, 'needs-operator');
    expect(await stand.baton('retry', runId, '--by', 'ada', '--note', 'renewed')).toEqual({
      exitCode: 0,
      stdout: `${runId}/d77/deep: incident i1 answered with "retry" by ada.\n`,
      stderr: '',
    });
    expect(await batonRun(stand.client, runId).result()).toMatchObject({ kind: 'completed' });
  });

  test('why says how to answer a parked agent although the task of another one fails', async () => {
    const runId = await stand.play({ children: { one: { incidents: [{}] } } });
    await parked(runId, 1);
    const taskQueue = `broken-${runId}`;
    await stand.client.workflow.start('runWorkflow', { workflowId: `run/${runId}/broken`, taskQueue });
    const broken = `WorkflowId = 'run/${runId}/broken' AND ${reportedProblemsQuery}`;
    await until(async () => {
      await failTask(stand.client, taskQueue);
      return (await stand.client.workflow.count(broken)).count > 0 ? true : undefined;
    });
    expect(await batonRun(stand.client, runId).why()).toMatchObject({
      path: [`run/${runId}`, `run/${runId}/one`],
      type: 'Model.Unauthorized',
      remarks: [expect.stringMatching(/^The workflow task of .*\/broken fails as well \(attempt \d+\): /)],
    });
    expect((await stand.baton('why', `${runId}/broken`)).stdout).toMatch(/^why +WorkflowTaskFailed: /m);
    await stand.client.workflow.getHandle(`run/${runId}/broken`).terminate();
  });

  test('a decision that could apply to several agents is refused, with the command for each', async () => {
    const runId = await stand.play({ children: { one: { incidents: [{}] }, two: { incidents: [{}] } } });
    await parked(runId, 2);
    const { exitCode, stderr } = await stand.baton('retry', runId);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`baton retry ${runId}/one --incident i1`);
    expect(stderr).toContain(`baton retry ${runId}/two --incident i1`);
    expect((await stand.baton('skip', runId, '--delegation', 'tw', '--result', 'nothing')).stdout).toMatch(
      /: incident i1 answered with "skip" by/,
    );
    expect((await stand.baton('abort', `${runId}/one`)).exitCode).toBe(0);
    expect(await stand.baton('retry', `${runId}/three`)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(`has no delegation "three"`) as unknown,
    });
  });

  test('for several incidents, or a tool request, the possible decisions are listed', async () => {
    const request = { kind: 'toolRequest', type: 'Tool.Requested', tool: 'run_command', message: 'to build' } as const;
    const runId = await stand.play({ incidents: [{}, request, {}] });
    const several = await stand.baton('retry', runId);
    expect(several).toMatchObject({ exitCode: 2 });
    expect(several.stderr).toContain(`baton retry ${runId} --incident i3`);
    expect((await stand.baton('approve', runId)).stdout).toMatch(/: incident i2 answered with "approve" by/);
    expect(await stand.baton('deny', runId)).toMatchObject({ exitCode: 2 });
    expect(await stand.baton('retry', runId, '--incident', 'i9')).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `${runId} refused: there is no incident "i9"\n`,
    });
    expect(await stand.baton('amend', runId, '--incident', 'i1')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('must change something') as unknown,
    });
    const amended = await stand.baton('amend', runId, '--incident', 'i1', '--budget-usd', '2.5', '--turns', '3');
    expect(amended.exitCode).toBe(0);
    const record = await batonRun(stand.client, runId).decide(null, { action: 'retry', by: 'a program' });
    expect(record).toMatchObject({ incident: 'i3', by: 'a program' });
  });

  test('tree --follow announces every agent that waits, also those that are not drawn', async () => {
    const children = Object.fromEntries(Array.from({ length: 23 }, (_, at) => [`d${at}`, { incidents: [{}] }]));
    const runId = await stand.play({ children, parkedBelow: 23 });
    await parked(runId, 23);
    expect((await stand.baton('show', runId)).stdout).toMatch(
      new RegExp(`^below +23 agents waiting for an operator\\n +baton why ${runId}$`, 'm'),
    );
    const tree = await stand.baton('tree', runId);
    expect(tree.stdout).toMatch(/^└─ ! … 3 more needs operator$/m);
    expect(tree.stdout).toMatch(/^ {4}… and 4 more: baton list --status needs-operator$/m);
    const file = join(tmpdir(), `baton-notified-${runId}`);
    const following = stand.baton('tree', runId, '--follow', '--notify', `echo "$BATON_AGENT" >> ${file}`);
    const notified = async (): Promise<readonly string[]> =>
      (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(Boolean);
    await until(async () => ((await notified()).length >= 23 ? true : undefined));
    await stand.client.workflow.getHandle(`run/${runId}`).terminate();
    const announced = (await following).stderr.match(/^! d\d+ needs you since .*: i1 Model\.Unauthorized/gm);
    expect(new Set(announced).size).toBe(23);
    expect([...new Set(await notified())].sort()).toEqual(
      Object.keys(children)
        .map((id) => `${runId}/${id}`)
        .sort(),
    );
    await rm(file);
  });

  test('many agents can be retried by a query, after a dry run', async () => {
    const runId = await stand.play({ children: { one: { incidents: [{}] }, two: { incidents: [{}] } } });
    await parked(runId, 2);
    const query = `BatonStatus="needs_operator" AND BatonRun="${runId}"`;
    const dry = await stand.baton('retry', '--query', query);
    expect(dry.stdout.trimEnd().split('\n')).toHaveLength(2);
    expect(dry.stdout).toContain(`would retry ${runId}/one i1 (turn 4): Model.Unauthorized`);
    expect(dry.stderr).toBe('Dry run, nothing was retried. Add --yes to retry these 2.\n');
    expect((await batonRun(stand.client, runId).tree('one')).snapshot?.incidents).toHaveLength(1);
    const done = await stand.baton('retry', '--query', query, '--yes');
    expect(done).toMatchObject({ exitCode: 0, stdout: `retried ${runId}/one i1\nretried ${runId}/two i1\n` });
    expect(await batonRun(stand.client, runId).result()).toMatchObject({ kind: 'completed' });
    expect(await stand.baton('retry', runId, '--query', query)).toMatchObject({ exitCode: 2 });
  });

  test('a run can be paused, listed as paused, resumed and steered', async () => {
    const runId = await stand.play({ waits: true });
    expect(await stand.baton('pause', runId)).toMatchObject({ exitCode: 0, stdout: `${runId}: paused\n` });
    expect((await stand.baton('why', runId)).stdout).toContain(`baton resume ${runId}`);
    expect((await stand.baton('tree', runId)).stdout).toMatch(
      /^‖ root {2}paused · window 50k\/200k \(25 %\) · 4 turns · 1\.2k tokens · \$0\.012 · thinking \(a word\)/,
    );
    expect((await stand.baton('show', runId)).stdout).toMatch(/^own +4 turns, 1,200 tokens, \$0\.012$/m);
    await inList(runId, 'paused');
    expect((await stand.baton('resume', runId)).stdout).toBe(`${runId}: goes on\n`);
    const following = stand.baton('tree', runId, '--follow');
    expect((await stand.baton('steer', runId, 'Go on.')).stdout).toBe(`${runId}: told with the next turn\n`);
    expect((await following).stdout).toMatch(/^✓ root {2}completed · 1 turn · 1\.2k tokens/);
    expect(await stand.baton('pause', runId)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('has already ended') as unknown,
    });
  });

  test('why says that no worker is polling when there is no worker', async () => {
    const runId = await stand.play({}, 'nobody-is-here');
    const { stdout } = await stand.baton('why', runId);
    expect(stdout).toMatch(/^why +no worker is polling task queue "nobody-is-here"$/m);
    expect((await stand.baton('tree', runId)).stdout).toMatch(
      /^● root {2}running · progress unknown: no worker answered/,
    );
  });
});
