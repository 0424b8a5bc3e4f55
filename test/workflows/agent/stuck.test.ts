import { eventLine } from '../../../cli/agent/event-line';
import { type AgentLimits, defaultLimits, repetitionNotice } from '../../../domain/agent';
import { retryFailed } from '../../../client/operator/retry-failed';
import { say, type Script, type ScriptedCall, scriptByTurn, useTool, useTools } from '../../../testing/scripted-model';
import { batch } from '../../support/batches';
import { depthOf, dispatch } from '../../support/delegation-script';
import { collectEvents } from '../../support/events';
import { failureOf } from '../../support/failures';
import { Harness, type RunWishes } from '../../support/harness';
import { newTexts } from '../../support/new-texts';
import { operated } from '../../support/parked';
import { treePlayer } from '../../support/tree-player';

const limits: AgentLimits = { ...defaultLimits, maxTurns: 50 };
const always =
  (name: string, input: object = {}): Script =>
  () =>
    useTool(name, input);
const onlyGoodNews: RunWishes['delegation'] = {
  tools: {
    add_note: {
      access: 'restricted',
      arguments: { kind: { enum: ['decision'] } },
      reason: 'Only decisions are worth a note.',
      alternative: 'Record a decision.',
    },
  },
};

/** Turns in which the last message tells the agent that it repeats itself. */
const warned = (asked: readonly ScriptedCall[]): number[] =>
  asked.filter((call) => newTexts(call).some((text) => text.includes(repetitionNotice))).map(({ turn }) => turn);

describe('an agent that repeats itself', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'));
  });
  afterAll(() => harness.close());
  const { play, told } = treePlayer(() => harness, 'dispatch_subagent');

  test.each([
    ['a tool that it does not have', always('fly', { to: 'the moon' }), {}, 'fly {"to":"the moon"}'],
    ['a file that does not exist', always('read_file', { path: 'none.txt' }), {}, 'read_file {"path":"none.txt"}'],
    [
      'a call that is refused',
      always('add_note', { text: 'bad' }),
      { delegation: onlyGoodNews },
      'add_note {"text":"bad"}',
    ],
    [
      'a batch of calls',
      ({ turn }: ScriptedCall) => {
        const both = [
          { name: 'list_files', input: {} },
          { name: 'fly', input: {} },
        ];
        return useTools(turn % 2 === 0 ? both : both.reverse());
      },
      {},
      'fly {}',
    ],
    [
      'the same delegation, which fails in the same way',
      always('dispatch_subagent', dispatch({ prompt_key: 'nobody' })),
      {},
      'dispatch_subagent',
    ],
  ])('with %s is told after 4 turns and stopped after 6', async (_, script, wishes, call) => {
    const { handle, asked } = await play([script], { limits, tuning: { turnsPerExecution: 2 }, ...wishes });
    const failed = await failureOf(handle);
    expect(failed).toMatchObject({ type: 'Agent.Stuck' });
    expect(failed.message).toContain('made the same call 6 times in a row, with the same result');
    expect(failed.message).toContain(call);
    expect(asked).toHaveLength(6);
    expect(warned(asked)).toEqual([4]);
  });

  test('in a cycle of two turns is stopped too', async () => {
    const { handle, asked } = await play([({ turn }) => useTool('fly', { to: turn % 2 })], { limits });
    const failed = await failureOf(handle);
    expect(failed).toMatchObject({ type: 'Agent.Stuck' });
    expect(failed.message).toContain('made the same 2 turns 6 times in a row');
    expect(asked).toHaveLength(12);
    const events = await collectEvents(harness.client, handle);
    const told = events.filter(({ kind }) => kind === 'agent.told');
    expect(told).toMatchObject([
      { turn: 9, text: expect.stringContaining('made the same 2 turns 4 times') as unknown },
    ]);
    expect(told.map((event) => eventLine(event))[0]).toContain('told with turn 9: You made the same 2 turns');
  });

  test('goes on if it does something else after the notice, or if results change', async () => {
    const script: Script = (call) => {
      if (call.turn >= 20) return say('Done.');
      if (call.turn % 5 === 4) return useTool('add_note', { text: `note ${call.turn}` });
      return useTool('list_files', {});
    };
    const { handle, asked } = await play([script], { limits });
    expect(await handle.result()).toMatchObject({ turns: 21 });
    expect(warned(asked)).toEqual([4, 9, 14, 19]);
    // A call that returns something else each time.
    const growing = await play(
      [(call) => (call.turn < 20 ? useTool('add_plan_steps', { steps: ['again'] }) : say('Done.'))],
      { limits },
    );
    expect(await growing.handle.result()).toMatchObject({ turns: 21 });
    expect(warned(growing.asked)).toEqual([]);
  });

  test('may repeat itself as often as the run allows', async () => {
    const script: Script = (call) => (call.turn < 9 ? useTool('list_files', {}) : say('Done.'));
    const free = await play([script], { limits: { ...limits, maxRepeats: 0 } });
    expect(await free.handle.result()).toMatchObject({ turns: 10 });
    expect(warned(free.asked)).toEqual([]);
    const strict = await play([script], { limits: { ...limits, maxRepeats: 2 } });
    expect(await failureOf(strict.handle)).toMatchObject({ type: 'Agent.Stuck' });
    expect(strict.asked).toHaveLength(3);
    // A client that says nothing about it gets the default, which the worker adds.
    const { maxRepeats: _, maxPromptBytes: __, ...older } = limits;
    const usual = await play([always('list_files')], { limits: older });
    expect(await failureOf(usual.handle)).toMatchObject({ type: 'Agent.Stuck' });
  });

  test('waits for an operator, whose retry gives it new room, and whose instructions it receives', async () => {
    const script: Script = (call) =>
      call.lastUserText.includes('Stop flying.') ? say('Stopped.') : useTool('fly', { to: 'the moon' });
    const { handle, asked } = await play([script], { limits, onFailure: 'hold' });
    const agent = operated(harness.client, handle.workflowId);
    const first = await agent.incident('i1');
    expect(first).toMatchObject({ type: 'Agent.Stuck', step: 'turn 6' });
    await agent.decide({ incident: 'i1', action: 'retry' });
    expect(await agent.incident('i2')).toMatchObject({ type: 'Agent.Stuck', step: 'turn 12' });
    expect(warned(asked)).toEqual([4, 10]);
    await agent.decide({ incident: 'i2', action: 'amend', amendment: { instructions: 'Stop flying.' } });
    expect(await handle.result()).toMatchObject({ answer: { text: 'Stopped.' }, turns: 13 });
  });

  test('that has ended is retried with new room', async () => {
    let isWell = false;
    const { handle, asked } = await play([() => (isWell ? say('Done.') : useTool('fly', {}))], { limits });
    expect(await failureOf(handle)).toMatchObject({ type: 'Agent.Stuck' });
    isWell = true;
    await retryFailed(harness.client, handle.workflowId);
    expect(await harness.client.workflow.getHandle(handle.workflowId).result()).toMatchObject({ turns: 7 });
    expect(asked).toHaveLength(7);
  });

  test('below another agent is reported to it as stuck', async () => {
    const root = scriptByTurn(useTool('dispatch_subagent', dispatch()), say('It was stuck.'));
    const { handle, asked } = await play([root, always('fly')], { limits });
    await handle.result();
    expect(told(asked)).toMatchObject({ isError: true });
    expect(told(asked).text).toContain('aborted (Agent.Stuck: The agent made the same call 6 times in a row');
    expect(asked.filter((call) => depthOf(call) === 1)).toHaveLength(6);
  });

  test('with the same batch of delegations is stopped, although each has another id', async () => {
    const { handle, asked } = await play([always('dispatch_subagents', batch(['one'])), scriptByTurn(say('found'))], {
      limits,
    });
    expect(await failureOf(handle)).toMatchObject({ type: 'Agent.Stuck' });
    expect(asked.filter((call) => depthOf(call) === 0)).toHaveLength(6);
  });
});
