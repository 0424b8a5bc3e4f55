import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ListedRun } from '../../../cli/agent/list-lines';
import { runWorkflowId } from '../../../domain/kernel';
import { hang, refuse, say, scriptByTurn, useTool } from '../../../testing/scripted-model';
import { byDepth, dispatch } from '../../support/delegation-script';
import { until } from '../../support/until';
import { Stand } from '../support/stand';

const delegates = useTool('dispatch_subagent', dispatch({}));

describe('what needs you', () => {
  let stand: Stand;
  beforeAll(async () => {
    stand = await Stand.start(
      byDepth(
        (call) => {
          if (call.systemText.includes('Be refused')) return refuse('no');
          return call.systemText.includes('Delegate') ? scriptByTurn(delegates, say('Done.'))(call) : say('Hello.');
        },
        () => hang({ afterEvents: 1, answer: say('never') }),
      ),
    );
  });
  afterAll(() => stand.close());

  const listed = async (id: string): Promise<ListedRun[]> => {
    const { stdout } = await stand.command('list', '--json', '--limit', '1000');
    return (JSON.parse(stdout) as ListedRun[]).filter(({ runId }) => runId === id);
  };

  test('is announced by --follow, list and tree, and to a command', async () => {
    const id = stand.newId();
    const file = join(stand.folder, 'notified.json');
    const followed = stand.command('run', 'Be refused', '--hold', '--id', id, '--follow', '--notify', `cat > ${file}`);
    const [run] = await until(async () => {
      const runs = await listed(id);
      return runs[0]?.state === 'needs operator' && runs[0].waiting.length > 0 ? runs : undefined;
    });
    expect(run).toMatchObject({
      status: 'running',
      waiting: [{ agent: runWorkflowId(id), incident: 'i1', type: 'Model.Refused' }],
    });
    const text = (await stand.command('list', '--status', 'needs-operator', '--limit', '1000')).stdout;
    expect(text).toMatch(
      new RegExp(`^${id} +needs you .*Be refused\\n {2}! baton why ${id} {2}root: Model\\.Refused, .*$`, 'm'),
    );
    const tree = await stand.command('tree', id);
    expect(tree.stdout).toMatch(new RegExp(`^! root {2}needs operator · .*\\n\\n! ${id} needs you since .*: i1 Model`));
    expect(tree.stdout).toContain(`    baton skip ${id} --incident i1 --result "…"\n`);
    const why = await stand.command('why', id);
    expect(why.stdout).toMatch(/waiting for an operator since \d\d:\d\d \((just now|\d+ (s|min) ago)\)/);
    expect((await stand.command('why', id, '--utc')).stdout).toMatch(/operator since \d{4}-\d\d-\d\dT[\d:.]+Z/);
    await until(() =>
      readFile(file, 'utf8').then(
        (json) => (json === '' ? undefined : json),
        () => undefined,
      ),
    );
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ run: id, agent: id, incident: { id: 'i1' } });
    await stand.command('skip', id, '--result', 'Never mind.');
    const { stdout, stderr, exitCode } = await followed;
    expect({ stdout, exitCode }).toEqual({ stdout: 'Never mind.\n', exitCode: 0 });
    expect(
      stderr.match(new RegExp(`^! ${id} needs you since .*: i1 Model\\.Refused \\(turn 1\\)$`, 'gm')),
    ).toHaveLength(1);
    expect(stderr).toContain(`    baton retry ${id} --incident i1\n`);
    expect(stderr).toMatch(new RegExp(`^Run ${id} completed: 1 turn, `, 'm'));
  });

  test('--notify without --follow, and an address with a secret, are refused', async () => {
    expect(await stand.command('run', 'x', '--notify', 'true')).toMatchObject({
      exitCode: 2,
      stderr: '--notify works only with --follow.\nAdd --follow, or use --notify-url.\n',
    });
    for (const url of ['https://example.com/?token=secret', 'BATON_NOTIFYTEAM', 'ftp://example.com'])
      expect(await stand.command('run', 'x', '--notify-url', url)).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('--notify-url') as unknown,
      });
  });

  test('list has one row per run, also after a reset, newest first by start', async () => {
    const older = stand.newId();
    const newer = stand.newId();
    for (const id of [older, newer]) await stand.command('run', 'Say hello', '--id', id, '--follow');
    const { client } = stand;
    const { events } = await client.workflow.getHandle(runWorkflowId(older)).fetchHistory();
    const task = events!.find((event) => event.workflowTaskCompletedEventAttributes);
    await client.workflowService.resetWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId: runWorkflowId(older) },
      reason: 'test',
      requestId: older,
      workflowTaskFinishEventId: task!.eventId!,
    });
    await client.workflow.getHandle(runWorkflowId(older)).result();
    const order = await until(async () => {
      const { stdout } = await stand.command('list', '--json', '--limit', '1000');
      const runs = (JSON.parse(stdout) as ListedRun[]).filter(({ runId }) => [older, newer].includes(runId));
      return runs.every(({ state }) => state === 'completed') && runs.length >= 2 ? runs : undefined;
    });
    expect(order.map(({ runId }) => runId)).toEqual([newer, older]);
    expect(order[1]!.withDelegations!.turns).toBeGreaterThan(0);
  });

  test('why names a delegation that was terminated', async () => {
    const id = stand.newId();
    await stand.command('run', 'Delegate', '--id', id);
    const child = await until(async () => {
      const { stdout } = await stand.command('tree', id, '--json');
      return (JSON.parse(stdout) as { children: { workflowId: string }[] }).children[0]?.workflowId;
    });
    await stand.client.workflow.getHandle(child).terminate('not needed');
    await stand.client.workflow.getHandle(runWorkflowId(id)).result();
    const why = await until(async () => {
      const { stdout } = await stand.command('why', id, '--json');
      const found = JSON.parse(stdout) as { remarks: readonly string[]; path: readonly string[] };
      return found.remarks.length > 0 ? found : undefined;
    });
    expect(why).toMatchObject({
      verdict: 'completed',
      path: [runWorkflowId(id), child],
      remarks: ['The run completed although one delegation failed.'],
    });
  });
});
