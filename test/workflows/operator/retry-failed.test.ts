import { retryFailed, type RetriedAgents } from '../../../client/operator/retry-failed';
import type { RetryFailedOptions } from '../../../client/operator/planned-reset';
import { displayId } from '../../../domain/kernel';
import {
  createGate,
  fail,
  hang,
  refuse,
  say,
  scriptByTurn,
  useTool,
  type Script,
  type ScriptedCall,
} from '../../../testing/scripted-model';
import { batonInProcess, type Printed } from '../../cli/support/in-process';
import { delegationsOf } from '../../support/batches';
import { byDepth, depthOf, dispatch } from '../../support/delegation-script';
import { failureOf } from '../../support/failures';
import { Harness, type RunHandle, type RunWishes } from '../../support/harness';
import { operated } from '../../support/parked';
import { until } from '../../support/until';

const quick = { heartbeatTimeoutMs: 2_000, retryIntervalMs: 10 };

/** A failed run that nobody prepared for it is retried at the failed step, and nothing is paid twice. */
describe('retrying a failed run', () => {
  let harness: Harness;
  let asked: ScriptedCall[];
  /** Whether what made the run fail has been corrected. */
  let isWell: boolean;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'));
  });
  beforeEach(() => {
    asked = [];
    isWell = false;
  });
  afterAll(() => harness.close());

  const play = async (script: Script, wishes: RunWishes = {}): Promise<RunHandle> => {
    harness.model.setScript((call) => {
      asked.push(call);
      return script(call);
    });
    return harness.startRun({ tuning: quick, ...wishes });
  };
  /** Two turns, the second of which goes wrong until the cause is corrected. */
  const wellOnlyLater = (trouble: ReturnType<Script>): Script =>
    scriptByTurn(useTool('list_files', {}), () => (isWell ? say('Done.') : trouble));
  /** Delegates once. The second turn of the delegation takes forever, until the cause is corrected. */
  const delegatesAndWaits: Script = byDepth(
    scriptByTurn(useTool('dispatch_subagent', dispatch()), (call) => say(`Heard: ${call.toolResults[0]?.text}`)),
    scriptByTurn(useTool('list_files', {}), () =>
      isWell ? say('Found.') : hang({ afterEvents: 3, answer: say('…') }),
    ),
  );
  const turns = (depth = 0): number[] => asked.filter((call) => depthOf(call) === depth).map(({ turn }) => turn);
  const retry = ({ workflowId }: RunHandle, options?: RetryFailedOptions): Promise<RetriedAgents> =>
    retryFailed(harness.client, workflowId, options);
  const resultOf = ({ workflowId }: RunHandle): Promise<unknown> =>
    harness.client.workflow.getHandle(workflowId).result();
  /** The status of a run's only delegation. */
  const below = async (run: RunHandle): Promise<string> => {
    const [child] = await delegationsOf(harness.client, run, 1);
    return (await harness.client.workflow.getHandle(child!.workflowId).describe()).status.name;
  };
  const refusalOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 'accepted',
      (error: unknown) => error,
    );

  test.each([
    ['a call that the provider does not accept', 401, 'Model.Unauthorized', [0, 1, 1]],
    ['a request that the provider finds invalid', 400, 'Model.BadRequest', [0, 1, 1]],
    ['a provider that stays down', 503, 'Model.ServerError', [0, ...Array<number>(11).fill(1)]],
  ])('after %s (%i), makes that call again and no other', async (_, status, type, calls) => {
    const run = await play(wellOnlyLater(fail(status)));
    expect(await failureOf(run)).toMatchObject({ type });
    isWell = true;
    expect(await retry(run, { by: 'ann' })).toMatchObject({ retried: [run.workflowId], takenBack: [] });
    expect(await resultOf(run)).toMatchObject({ answer: { text: 'Done.' }, turns: 2 });
    expect(turns()).toEqual(calls);
  });

  test('after a refusal of the model, asks it again instead of using the recorded answer', async () => {
    const run = await play(wellOnlyLater(refuse()));
    expect(await failureOf(run)).toMatchObject({ type: 'Model.Refused' });
    isWell = true;
    await retry(run, { by: 'ann', note: 'reworded' });
    expect(await resultOf(run)).toMatchObject({ answer: { text: 'Done.' } });
    expect(asked).toHaveLength(3);
    const { decisions } = await operated(harness.client, run.workflowId).snapshot();
    expect(decisions).toMatchObject([{ incident: 'i1', action: 'retry', by: 'ann', note: 'reworded' }]);
  });

  test('that fails again can be retried again, and two operators at the same time retry it once', async () => {
    const run = await play(wellOnlyLater(refuse()));
    await failureOf(run);
    await retry(run);
    expect(await refusalOf(resultOf(run))).toMatchObject({ cause: { type: 'Model.Refused' } });
    expect(asked).toHaveLength(3);
    isWell = true;
    await Promise.all([retry(run), retry(run)]);
    expect(await resultOf(run)).toMatchObject({ answer: { text: 'Done.' } });
    expect(asked).toHaveLength(4);
  });

  test('is refused in one sentence while the run is running and after it completed', async () => {
    const gate = createGate();
    const run = await play(async () => {
      await gate.opened;
      return say('Done.');
    });
    expect(await refusalOf(retry(run))).toMatchObject({ message: expect.stringMatching(/is running/) as unknown });
    gate.open();
    await run.result();
    expect(await refusalOf(retry(run))).toMatchObject({ message: expect.stringMatching(/completed, so/) as unknown });
    const missing = refusalOf(retryFailed(harness.client, 'run/t-forgotten'));
    expect(await missing).toMatchObject({ type: 'Client.NotFound' });
  });

  test('at its turn limit is refused with the command that adds turns, which continues it', async () => {
    const run = await play(
      scriptByTurn(useTool('list_files', {}), useTool('list_files', { path: '.' }), say('Done.')),
      { limits: { maxTurns: 2, maxDepth: 1, maxChildren: 10, maxParallel: 4 } },
    );
    expect(await failureOf(run)).toMatchObject({ type: 'Agent.TurnLimit' });
    expect(await refusalOf(retry(run))).toMatchObject({
      type: 'Client.NotApplicable',
      remedy: expect.stringContaining('--turns 10') as unknown,
    });
    // As long as instructions may be: they are part of the reason of the reset.
    const instructions = `Be brief. ${'日'.repeat(3_990)}`;
    await retry(run, { amendment: { budget: { turns: 5 }, instructions } });
    expect(await resultOf(run)).toMatchObject({ answer: { text: 'Done.' }, turns: 3 });
    expect(turns()).toEqual([0, 1, 2]);
    expect(JSON.stringify(asked[2]?.request.messages)).toContain('Be brief.');
  });

  test('beyond its budget is refused with the command that raises it, which continues it', async () => {
    const run = await play(wellOnlyLater(say('Done.')), { budget: { turns: 1 } });
    expect(await failureOf(run)).toMatchObject({ type: 'Budget.Exceeded' });
    expect(await refusalOf(retry(run))).toMatchObject({ remedy: expect.stringContaining('--turns 10') as unknown });
    await retry(run, { amendment: { budget: { turns: 2 } } });
    expect(await resultOf(run)).toMatchObject({ answer: { text: 'Done.' } });
    expect(turns()).toEqual([0, 1]);
  });

  test('with another model makes the failed call with that model', async () => {
    const run = await play(
      scriptByTurn(useTool('list_files', {}), ({ request }) =>
        request.model === 'claude-opus-5-5' ? say('Done.') : fail(400),
      ),
    );
    await failureOf(run);
    await retry(run, { amendment: { model: { name: 'claude-opus-5-5' }, tools: { revoke: ['write_file'] } } });
    expect(await resultOf(run)).toMatchObject({ answer: { text: 'Done.' } });
    expect(turns()).toEqual([0, 1, 1]);
    expect(JSON.stringify(asked[2]?.request.tools)).not.toContain('"write_file"');
  });

  test('continues the last execution of a run that has continued as new', async () => {
    const run = await play(
      scriptByTurn(useTool('list_files', {}), useTool('list_files', { path: '.' }), () =>
        isWell ? say('Done.') : refuse(),
      ),
      { tuning: { ...quick, turnsPerExecution: 1 } },
    );
    expect(await refusalOf(run.result())).toMatchObject({ cause: { type: 'Model.Refused' } });
    isWell = true;
    await retry(run);
    expect(await resultOf(run)).toMatchObject({ answer: { text: 'Done.' } });
    expect(turns()).toEqual([0, 1, 2, 2]);
  });

  test('that was terminated continues, and so do the delegations that ended with it', async () => {
    const run = await play(delegatesAndWaits);
    await until(() => turns(1).length === 2 || undefined);
    await run.terminate('by mistake');
    isWell = true;
    await until(async () => ((await below(run)) === 'TERMINATED' ? true : undefined));
    const { retried, takenBack } = await retry(run);
    expect(retried).toEqual([expect.stringContaining(`${run.workflowId}/`), run.workflowId]);
    expect(takenBack).toEqual([]);
    expect(await resultOf(run)).toMatchObject({
      answer: { text: expect.stringContaining('Heard: Found.') as unknown },
    });
    expect(turns(0)).toEqual([0, 1]);
    expect(turns(1)).toEqual([0, 1, 1]);
  });

  test('that was cancelled needs an explicit request, and then continues with its delegations', async () => {
    const run = await play(delegatesAndWaits);
    await until(() => turns(1).length === 2 || undefined);
    await run.cancel();
    await run.result().catch(() => undefined);
    isWell = true;
    expect(await refusalOf(retry(run))).toMatchObject({ remedy: expect.stringContaining('--cancelled') as unknown });
    await retry(run, { cancelled: true });
    expect(await resultOf(run)).toMatchObject({
      answer: { text: expect.stringContaining('Heard: Found.') as unknown },
    });
    expect(turns(0)).toEqual([0, 1]);
    expect(turns(1)).toEqual([0, 1, 1]);
  });

  test('after its deadline continues with a new one, and so do the delegations that it ended', async () => {
    const deadline = new Date(Date.now() + 4_000).toISOString();
    const run = await play(delegatesAndWaits, { deadline });
    expect(await failureOf(run)).toMatchObject({ type: 'Budget.Exceeded' });
    expect(turns(1)).toEqual([0, 1]);
    isWell = true;
    expect(await refusalOf(retry(run))).toMatchObject({ remedy: expect.stringContaining('--deadline 1h') as unknown });
    await retry(run, { amendment: { deadline: new Date(Date.now() + 600_000).toISOString() } });
    expect(await resultOf(run)).toMatchObject({
      answer: { text: expect.stringContaining('Heard: Found.') as unknown },
    });
    expect(turns(0)).toEqual([0, 1]);
    expect(turns(1)).toEqual([0, 1, 1]);
  });

  test('whose operator did not answer in time, or aborted it, continues at the same step', async () => {
    for (const holdMs of [1_000, 600_000]) {
      asked = [];
      isWell = false;
      const run = await play(wellOnlyLater(fail(401)), { onFailure: 'hold', holdMs });
      const parked = operated(harness.client, run.workflowId);
      if (holdMs > 1_000) {
        await parked.incident();
        await parked.decide({ action: 'abort', incident: 'i1' });
      }
      await failureOf(run);
      isWell = true;
      await retry(run);
      expect(await resultOf(run)).toMatchObject({ answer: { text: 'Done.' } });
      expect(turns()).toEqual([0, 1, 1]);
    }
  });

  test('on the command line: why and show name the command, which continues the run and prints its answer', async () => {
    const env = { BATON_TASK_QUEUE: harness.taskQueue, BATON_STORE_DIR: 'store' };
    const baton = (...args: string[]): Promise<Printed> =>
      batonInProcess({ client: harness.client, folder: harness.folder, env }, args);
    const run = await play(wellOnlyLater(fail(401)));
    const runId = displayId(run.workflowId);
    await failureOf(run);
    expect((await baton('why', runId)).stdout).toContain(`baton retry ${runId}\n`);
    expect((await baton('show', runId)).stdout).toContain(`baton retry ${runId}\n`);
    expect(await baton('show', runId, '--follow')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(`Continue it with: baton retry ${runId}\n`) as unknown,
    });
    expect(await baton('amend', runId)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('must change something') as unknown,
    });
    isWell = true;
    const retried = await baton('retry', runId, '--by', 'ann', '--json');
    expect(JSON.parse(retried.stdout)).toMatchObject({ kind: 'resumed', retried: [run.workflowId], takenBack: [] });
    expect(await baton('show', runId, '--follow')).toMatchObject({ exitCode: 0, stdout: 'Done.\n' });
    expect(await baton('retry', runId)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('completed, so there is nothing to retry') as unknown,
    });
    const tail = await baton('tail', runId);
    expect(tail.stdout).toContain('retried by ann');
    expect(turns()).toEqual([0, 1, 1]);
  });
});
