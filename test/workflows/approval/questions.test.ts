import { batonRun } from '../../../client/agent/run-handle';
import { runIdOf } from '../../../domain/kernel';
import { say, scriptByTurn, useTool } from '../../../testing/scripted-model';
import { dispatchPlain, exchangesAt, skillNamed } from '../../support/approvals';
import { childrenOf, reset } from '../../support/batches';
import { Harness, type RunHandle } from '../../support/harness';
import { operated, refusalOf } from '../../support/parked';
import { treePlayer } from '../../support/tree-player';
import { until } from '../../support/until';

const ask = (input: object): ReturnType<typeof useTool> =>
  useTool('ask_operator', { question: 'Which one?', ...input });

describe('questions to an operator', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'), {
      skills: [skillNamed('asker'), skillNamed('silent', { tools: ['add_note'] })],
    });
  });
  afterAll(() => harness.close());

  const { play } = treePlayer(() => harness, 'dispatch_subagent');
  const agentAt = (run: Pick<RunHandle, 'workflowId'>): ReturnType<typeof operated> =>
    operated(harness.client, run.workflowId);

  test('wait for an answer in words, which the model receives', async () => {
    const { handle, asked } = await play([scriptByTurn(ask({}), say('done'))], { ask: true });
    const root = agentAt(handle);
    expect(await root.incident('i1')).toMatchObject({
      kind: 'question',
      type: 'Agent.Question',
      step: 'ask_operator',
      message: 'Which one?',
    });
    expect(await root.details()).toContain(`\`baton answer ${handle.workflowId} --incident i1 "…"\``);
    expect(await root.details()).toContain('{"incident":"i1","action":"answer","text":"…"}');
    expect(await refusalOf(root.decide({ action: 'approve', incident: 'i1' }))).toBe(
      'action: "approve" does not apply to incident i1 (Agent.Question). Use answer.',
    );
    expect(await refusalOf(root.decide({ action: 'answer', incident: 'i1', text: ' ' }))).toContain('text');
    expect(await refusalOf(root.decide({ action: 'answer', incident: 'i1', text: 'x'.repeat(5_000) }))).toContain(
      '4000',
    );
    const run = batonRun(harness.client, runIdOf(handle.workflowId)!);
    await run.decide(null, { action: 'answer', text: 'The \u001b[31mred one', by: 'ann' });
    await handle.result();
    expect(exchangesAt(asked, 0)).toEqual([{ isError: false, text: 'An operator answered: The \\u{1B}[31mred one' }]);
    expect((await root.snapshot()).decisions).toMatchObject([
      { action: 'answer', answer: 'The \\u{1B}[31mred one', by: 'ann' },
    ]);
  });

  test('with options accept one of them, by number or text, and other texts only if they may', async () => {
    const options = ['Red', 'Blue'];
    const { handle, asked } = await play(
      [scriptByTurn(ask({ options }), ask({ options }), ask({ options, free_text: true }), say('done'))],
      { ask: true },
    );
    const root = agentAt(handle);
    expect((await root.incident('i1')).options).toEqual(options);
    expect(await refusalOf(root.decide({ action: 'answer', incident: 'i1', text: 'Green' }))).toBe(
      'text: "Green" is not one of the options. Answer with one of: 1 (Red), 2 (Blue).',
    );
    await root.decide({ action: 'answer', incident: 'i1', text: '2' });
    await root.incident('i2');
    await root.decide({ action: 'answer', incident: 'i2', text: 'red', note: 'as agreed' });
    await root.incident('i3');
    await root.decide({ action: 'answer', incident: 'i3', text: 'Green' });
    await handle.result();
    expect(exchangesAt(asked, 0).map(({ text }) => text)).toEqual([
      'An operator answered: Blue',
      'An operator answered: Red\nNote: as agreed',
      'An operator answered: Green',
    ]);
  });

  test('that nobody answers in time get their default, or say so', async () => {
    const { handle, asked } = await play(
      [scriptByTurn(ask({ timeout_seconds: 1, default: 'Red' }), ask({ timeout_seconds: 3_600 }), say('done'))],
      { ask: true, holdMs: 2_000 },
    );
    await handle.result();
    expect(exchangesAt(asked, 0)).toEqual([
      { isError: false, text: 'Nobody answered in time. Continue with your default: Red' },
      {
        isError: true,
        text: 'Nobody answered in time. Decide yourself, if you may, and state in your answer what you assumed.',
      },
    ]);
  });

  test('that are invalid are refused without waiting', async () => {
    const invalid = [{ options: ['Red'] }, { options: ['Red', 'Blue'], default: 'Green' }, { timeout_seconds: 0 }];
    const { handle, asked } = await play([scriptByTurn(...invalid.map(ask), say('done'))], { ask: true });
    await handle.result();
    expect(exchangesAt(asked, 0).map(({ text }) => text)).toEqual([
      expect.stringMatching(/^options: /),
      'default: must be one of the options, unless free_text is true. Correct it and call the tool again.',
      expect.stringMatching(/^timeout_seconds: /),
    ]);
  });

  test('need a run that allows them; agents below have the tool if their skill lists it', async () => {
    const tools = (call: { request: { tools?: unknown } }): string => JSON.stringify(call.request.tools);
    const without = await play([scriptByTurn(say('done'))]);
    await without.handle.result();
    expect(tools(without.asked[0]!)).not.toContain('ask_operator');
    const dispatchSkill = (skill: string): ReturnType<typeof useTool> =>
      useTool('dispatch_skill', { skill, input: { goal: 'Ask.' } });
    const { handle, asked } = await play(
      [scriptByTurn(dispatchSkill('silent'), dispatchSkill('asker'), say('done')), scriptByTurn(say('ok'))],
      { ask: true },
    );
    await handle.result();
    const [silent, asker] = asked.filter(({ systemText }) => /You are (silent|asker)/.test(systemText));
    expect([tools(silent!).includes('"ask_operator"'), tools(asker!).includes('"ask_operator"')]).toEqual([
      false,
      true,
    ]);
  });

  test('of agents below are answered from the run, survive resets, and are not asked again', async () => {
    const { handle, asked } = await play([scriptByTurn(dispatchPlain, say('done')), scriptByTurn(ask({}), say('ok'))], {
      ask: true,
    });
    const child = agentAt({
      workflowId: await until(async () => (await childrenOf(harness.client, handle.workflowId))[0]?.workflowId),
    });
    await child.incident('i1');
    await batonRun(harness.client, runIdOf(handle.workflowId)!).decide(null, { action: 'answer', text: 'Blue' });
    await handle.result();
    const paid = asked.length;
    const { runId } = await child.handle.describe();
    await reset(harness.client, { workflowId: child.handle.workflowId, runId });
    await child.handle.result();
    expect((await child.snapshot()).decisions).toEqual([]);
    expect(asked).toHaveLength(paid);
    expect(exchangesAt(asked, 1)[0]?.text).toBe('An operator answered: Blue');
  });
});
