import { fail, scriptByTurn, say, useTool, type ScriptedCall } from '../../../testing/scripted-model';
import { batch, delegationsOf, reasonOf, resultsOf, toldRoot } from '../../support/batches';
import { byDepth, depthOf, dispatch } from '../../support/delegation-script';
import { failureOf } from '../../support/failures';
import { Harness, type RunHandle, type RunWishes } from '../../support/harness';
import { operated, refusalOf, type OperatedAgent } from '../../support/parked';
import { until } from '../../support/until';

const reasons = ['one', 'two', 'three', 'four', 'five'];

describe('a batch of five, one of which is refused by the provider', () => {
  let harness: Harness;
  let asked: ScriptedCall[];
  /** Whether the provider accepts calls of the third child. */
  let isWell: boolean;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'));
  });
  beforeEach(() => {
    asked = [];
    isWell = false;
  });
  afterAll(() => harness.close());

  /** Every child has two turns. The third child's second turn fails until the problem is fixed. */
  const startBatch = async (wishes: RunWishes = {}): Promise<{ run: RunHandle; parked: OperatedAgent }> => {
    harness.model.setScript((call) => {
      asked.push(call);
      return byDepth(scriptByTurn(useTool('dispatch_subagents', batch(reasons)), say('done')), (child) => {
        if (child.turn === 0) return useTool('add_plan_steps', { steps: [reasonOf(child)] });
        if (reasonOf(child) === 'three' && !isWell && child.request.model !== 'claude-opus-5-5') return fail(401);
        return say(`Result ${reasonOf(child)}.`);
      })(call);
    });
    const run = await harness.startRun({ onFailure: 'hold', ...wishes });
    const [, , third] = await delegationsOf(harness.client, run, 5);
    const parked = operated(harness.client, third!.workflowId);
    await parked.incident();
    return { run, parked };
  };
  const callsOf = (reason: string): ScriptedCall[] =>
    asked.filter((call) => depthOf(call) === 1 && reasonOf(call) === reason);
  const othersDone = (): Promise<true> =>
    until(() => reasons.every((reason) => callsOf(reason).length >= 2) || undefined);
  const expectOthersUntouched = (): void => {
    for (const reason of reasons.filter((one) => one !== 'three')) expect(callsOf(reason)).toHaveLength(2);
  };

  test('it waits, the other four complete, and the operator sees what failed, since when and how to answer', async () => {
    const { run, parked } = await startBatch();
    await othersDone();
    expect(await parked.snapshot()).toMatchObject({
      status: 'needs operator',
      incidents: [{ id: 'i1', type: 'Model.Unauthorized', step: 'turn 2', attempt: 1, delegation: null }],
    });
    const details = await parked.details();
    expect(details).toContain('### Needs an operator: Model.Unauthorized');
    expect(details).toMatch(/incident `i1`, turn 2, attempt 1, since 20\d\d-/);
    const { workflowId } = parked.handle;
    expect(details).toContain(`\`baton retry ${workflowId} --incident i1\``);
    expect(details).toContain(`\`baton skip ${workflowId} --incident i1 --result "…"\``);
    expect(await parked.status()).toBe('needs_operator');

    const root = operated(harness.client, run.workflowId);
    await until(async () => (await root.snapshot()).parkedBelow === 1 || undefined);
    expect((await root.snapshot()).incidents).toEqual([]);
    expect(await root.details()).toContain('waiting for an operator below: 1');

    isWell = true;
    const record = await parked.decide({ action: 'retry', incident: 'i1', note: 'key renewed', by: 'ann' });
    expect(record).toMatchObject({ incident: 'i1', action: 'retry', note: 'key renewed', by: 'ann' });
    await run.result();
    expect(toldRoot(asked).text).toContain('All 5 delegations succeeded.');
    expect(resultsOf(toldRoot(asked))[2]).toMatchObject({ success: true, output: 'Result three.' });
    // Only the failed turn of the third child was repeated.
    expect(callsOf('three').map(({ turn }) => turn)).toEqual([0, 1, 1]);
    expectOthersUntouched();
    expect((await parked.snapshot()).decisions).toMatchObject([{ action: 'retry', by: 'ann' }]);
    expect(await parked.status()).toBeNull();
    expect((await root.snapshot()).parkedBelow).toBe(0);
  });

  test('after an amendment it continues with another model, more turns and new instructions', async () => {
    const { run, parked } = await startBatch();
    await othersDone();
    const amendment = {
      instructions: 'Be brief.',
      model: { name: 'claude-opus-5-5' },
      budget: { turns: 3 },
      tools: { revoke: ['write_file'] },
    };
    await parked.decide({ action: 'amend', incident: 'i1', amendment });
    await run.result();
    const last = callsOf('three').at(-1)!;
    expect(last.request.model).toBe('claude-opus-5-5');
    expect(JSON.stringify(last.request.messages.at(-1))).toContain('Be brief.');
    expect(JSON.stringify(last.request.tools)).not.toContain('"write_file"');
    expect(await parked.snapshot()).toMatchObject({ model: 'claude-opus-5-5', maxTurns: 53 });
    expect(toldRoot(asked).text).toContain('All 5 delegations succeeded.');
    expectOthersUntouched();
  });

  test('after a skip its result is the text of the operator', async () => {
    const { run, parked } = await startBatch();
    await othersDone();
    await parked.decide({ action: 'skip', incident: 'i1', placeholder: 'Nothing known.' });
    await run.result();
    expect(resultsOf(toldRoot(asked))[2]).toMatchObject({ success: true, output: 'Nothing known.' });
    expect(callsOf('three')).toHaveLength(2);
    expectOthersUntouched();
  });

  test('after an abort only it fails', async () => {
    const { run, parked } = await startBatch();
    await othersDone();
    await parked.decide({ action: 'abort', incident: 'i1', note: 'not worth it', by: 'ann' });
    await run.result();
    expect(await failureOf(parked.handle)).toMatchObject({ type: 'Agent.Aborted' });
    expect(toldRoot(asked).text).toContain('5 delegations: 4 succeeded, 1 failed.');
    expect(toldRoot(asked).text).toContain('Agent.Aborted: Aborted by an operator (ann): not worth it');
    expect(await parked.status()).toBeNull();
    expectOthersUntouched();
  });

  test('one of two concurrent decisions is accepted, and invalid decisions change nothing', async () => {
    const { run, parked } = await startBatch();
    const { decide } = parked;
    expect(await refusalOf(decide({ action: 'retry', incident: 'i7' }))).toBe(
      'incident: i7 is not an open incident. Open: i1 (Model.Unauthorized).',
    );
    expect(await refusalOf(decide({ action: 'approve', incident: 'i1' }))).toContain('Use retry, amend, skip, abort.');
    expect(await refusalOf(decide({ action: 'skip', incident: 'i1' } as never))).toContain('placeholder: ');
    expect(await refusalOf(decide({ action: 'amend', incident: 'i1', amendment: { nope: 1 } as never }))).toContain(
      'amendment: ',
    );
    const unknown = { model: { name: 'gpt-1' } };
    expect(await refusalOf(decide({ action: 'amend', incident: 'i1', amendment: unknown }))).toContain(
      '"gpt-1" is not a known model',
    );
    const root = operated(harness.client, run.workflowId);
    expect(await refusalOf(root.decide({ action: 'retry', incident: 'i1' }))).toContain(
      'this agent has no open incident',
    );
    isWell = true;
    const both = await Promise.all(
      ['ann', 'bob'].map((by) => refusalOf(decide({ action: 'retry', incident: 'i1', by }))),
    );
    expect(both.filter((one) => one === 'accepted')).toHaveLength(1);
    expect(both.find((one) => one !== 'accepted')).toMatch(/i1 was already answered: retry by (ann|bob) at/);
    await run.result();
    expect(callsOf('three')).toHaveLength(3);
  });

  test('a tool that the root does not have is not granted, and the operator is asked again', async () => {
    const { run, parked } = await startBatch();
    await parked.decide({ action: 'amend', incident: 'i1', amendment: { tools: { grant: ['shell'] } } });
    expect(await parked.incident('i2')).toMatchObject({
      type: 'Input.Invalid',
      message:
        'Cannot grant shell: the root agent of this run does not have it, and no agent may have more tools than the root.',
    });
    isWell = true;
    await parked.decide({ action: 'retry', incident: 'i2' });
    await run.result();
    expect(toldRoot(asked).text).toContain('All 5 delegations succeeded.');
  });

  test('while it waits it does not count against the concurrency limit, so the others can run', async () => {
    const { run, parked } = await startBatch({
      limits: { maxTurns: 50, maxDepth: 3, maxChildren: 1_000, maxParallel: 1 },
    });
    await othersDone();
    await parked.decide({ action: 'skip', incident: 'i1', placeholder: 'Nothing.' });
    await run.result();
    expect(resultsOf(toldRoot(asked))[4]).toMatchObject({ success: true, output: 'Result five.' });
  });

  test('when no operator answers in time, the failure is reported as it would be without operators', async () => {
    const { run, parked } = await startBatch({ holdMs: 1_000 });
    await run.result();
    expect(await failureOf(parked.handle)).toMatchObject({ type: 'Model.Unauthorized' });
    expect(resultsOf(toldRoot(asked))[2]).toMatchObject({
      success: false,
      error: expect.stringContaining('Model.Unauthorized') as unknown,
    });
  });

  test.each(['retry', 'skip', 'abort'] as const)(
    'one that was terminated can be answered for at its parent: %s',
    async (action) => {
      const { run, parked } = await startBatch();
      await parked.handle.terminate('test');
      const root = operated(harness.client, run.workflowId);
      expect(await root.incident()).toMatchObject({
        type: 'Delegation.Closed',
        message: 'it was terminated',
        delegation: parked.handle.workflowId.split('/').at(-1),
      });
      expect(await root.details()).not.toContain('baton amend');
      expect((await root.snapshot()).parkedBelow).toBe(0);
      isWell = true;
      await root.decide({ action, incident: 'i1', ...(action === 'skip' ? { placeholder: 'Gone.' } : {}) } as never);
      await run.result();
      const shown = {
        retry: { success: true, output: 'Result three.' },
        skip: { success: true, output: 'Gone.' },
        abort: { success: false, error: expect.stringMatching(/^Agent\.Aborted/) as unknown },
      };
      expect(resultsOf(toldRoot(asked))[2]).toMatchObject(shown[action]);
      expectOthersUntouched();
    },
  );
});

describe('other reasons to wait for an operator', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'));
  });
  afterAll(() => harness.close());

  test('a missing expected artifact: a retry asks the model for it', async () => {
    const asked: ScriptedCall[] = [];
    harness.model.setScript((call) => {
      asked.push(call);
      return byDepth(
        scriptByTurn(useTool('dispatch_subagent', dispatch({ expected_artifacts: ['OUT.md'] })), say('done')),
        scriptByTurn(
          say('I forgot.'),
          useTool('write_artifact', { name: 'OUT.md', content: 'Here.' }),
          say('Now it is there.'),
        ),
      )(call);
    });
    const run = await harness.startRun({ onFailure: 'hold' });
    const [child] = await delegationsOf(harness.client, run, 1);
    const parked = operated(harness.client, child!.workflowId);
    expect(await parked.incident()).toMatchObject({
      type: 'Delegation.Incomplete',
      message: 'The agent answered without writing the expected OUT.md.',
    });
    await parked.decide({ action: 'retry', incident: 'i1' });
    await run.result();
    const told = asked.at(-1)?.toolExchanges[0]?.result;
    expect(told).toMatchObject({ isError: false, text: expect.stringContaining('"artifacts":["OUT.md"]') as unknown });
  });

  test('an exhausted budget, also at the root: an amendment increases it', async () => {
    harness.model.setScript(scriptByTurn(useTool('add_note', { text: 'x' }), say('done')));
    const run = await harness.startRun({ onFailure: 'hold', budget: { turns: 1 } });
    const root = operated(harness.client, run.workflowId);
    expect(await root.incident()).toMatchObject({ type: 'Budget.Exceeded', step: 'turn 2' });
    await root.decide({ action: 'amend', incident: 'i1', amendment: { budget: { turns: 1 } } });
    expect(await run.result()).toMatchObject({ turns: 2 });
  });

  test('none, when failures are reported', async () => {
    harness.model.setScript(() => fail(401));
    const run = await harness.startRun({ onFailure: 'report' });
    expect(await failureOf(run)).toMatchObject({ type: 'Model.Unauthorized' });
  });
});
