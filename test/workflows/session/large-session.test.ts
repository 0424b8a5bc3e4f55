import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import { z } from 'zod';
import { defineTool } from '../../../activities/tool/define-tool';
import { builtInSlices, createSessionSchema, hydrate, snapshot, type SessionSnapshot } from '../../../domain/session';
import { scriptByTurn, say, useTool, useTools, type Script, type ScriptedCall } from '../../../testing/scripted-model';
import { byDepth, depthOf, dispatch } from '../../support/delegation-script';
import { Harness, type RunHandle } from '../../support/harness';

/** Fills a session quickly: as many notes per call as history allows, each about a kilobyte. */
const takeNotesTool = defineTool({
  name: 'take_notes',
  id: 'test/take_notes@1',
  description: 'Takes many notes at once.',
  parameters: z.strictObject({ from: z.int(), count: z.int().max(14) }),
  success: 'They are taken.',
  cost: 'Free.',
  safeToRepeat: true,
  run: ({ from, count }, { agent }) =>
    Promise.resolve({
      message: 'Noted.',
      events: Array.from({ length: count }, (_, index) => ({
        type: 'noteAdded',
        value: { text: `${from + index} `.padEnd(1_000, 'x'), by: agent },
      })),
    }),
});

type Events = NonNullable<Awaited<ReturnType<RunHandle['fetchHistory']>>['events']>;

describe('a session that is too large to be passed inline', () => {
  let harness: Harness;
  let asked: ScriptedCall[] = [];
  beforeAll(async () => {
    harness = await Harness.start(() => say('no script'), { tools: [takeNotesTool] });
  });
  afterAll(() => harness.close());

  const play = (...scripts: readonly Script[]): Promise<RunHandle> => {
    asked = [];
    harness.model.setScript((call) => {
      asked.push(call);
      return byDepth(...scripts)(call);
    });
    return harness.startRun({ model: { name: 'claude-sonnet-5-5', maxTokens: 10_000, window: 200_000 } });
  };
  const eventsOf = async (workflowId: string): Promise<Events> =>
    (await harness.client.workflow.getHandle(workflowId).fetchHistory()).events ?? [];
  const childrenIn = (events: Events): string[] =>
    events.flatMap(
      ({ childWorkflowExecutionStartedEventAttributes: child }) => child?.workflowExecution?.workflowId ?? [],
    );
  /** Inputs and results of the activities with that name. */
  const activitiesIn = async (events: Events, name: string): Promise<{ input: unknown; result: unknown }[]> => {
    const { loadedDataConverter: converter } = harness.client.options;
    const scheduled = events.filter(
      ({ activityTaskScheduledEventAttributes: activity }) => activity?.activityType?.name === name,
    );
    const found = scheduled.map(async ({ eventId, activityTaskScheduledEventAttributes: activity }) => {
      const completed = events.find(({ activityTaskCompletedEventAttributes: end }) =>
        end?.scheduledEventId?.equals(eventId!),
      )?.activityTaskCompletedEventAttributes;
      const [input] = await decodeArrayFromPayloads(converter, activity?.input?.payloads);
      const [result] = await decodeArrayFromPayloads(converter, completed?.result?.payloads);
      return { input, result };
    });
    return Promise.all(found);
  };
  const told = (): string[] =>
    asked
      .filter((call) => depthOf(call) === 0)
      .at(-1)!
      .toolResults.map(({ text, isError }) => `${isError ? 'failed' : 'ok'}: ${text}`);

  test('is saved once for all delegations of a turn, loaded once by each, and arrives unchanged', async () => {
    const handle = await play(
      scriptByTurn(
        useTools([
          { name: 'add_plan_steps', input: { steps: ['Look'] } },
          { name: 'take_notes', input: { from: 0, count: 10 } },
        ]),
        useTools([
          { name: 'dispatch_subagent', input: dispatch({ mode: 'plan_step', plan_step_id: 'S001' }) },
          { name: 'dispatch_subagent', input: dispatch({ instructions: 'Look elsewhere.' }) },
        ]),
        say('done'),
      ),
      scriptByTurn(useTool('add_note', { text: 'only here' }), say('Looked.')),
    );
    await handle.result();
    expect(told().map((text) => text.split('\n', 1)[0])).toEqual(['ok: Looked.', 'ok: Looked.']);
    const events = await eventsOf(handle.workflowId);
    const saved = await activitiesIn(events, 'saveSnapshot');
    expect(saved).toHaveLength(1);
    const { snapshot: handedOver } = saved[0]!.input as { snapshot: SessionSnapshot };
    expect(handedOver.slices['notes']).toHaveLength(10);
    const schema = createSessionSchema(builtInSlices);
    expect(childrenIn(events)).toHaveLength(2);
    for (const child of childrenIn(events)) {
      const loaded = await activitiesIn(await eventsOf(child), 'loadSnapshot');
      expect(loaded.map(({ result }) => result)).toEqual([handedOver]);
      expect(snapshot(schema, hydrate(schema, loaded[0]!.result as SessionSnapshot))).toEqual(handedOver);
    }
  });

  test('is not saved while it is small', async () => {
    const handle = await play(
      scriptByTurn(useTool('take_notes', { from: 0, count: 5 }), useTool('dispatch_subagent', dispatch()), say('done')),
      scriptByTurn(say('Looked.')),
    );
    await handle.result();
    const events = await eventsOf(handle.workflowId);
    expect(await activitiesIn(events, 'saveSnapshot')).toEqual([]);
    expect(await activitiesIn(await eventsOf(childrenIn(events)[0]!), 'loadSnapshot')).toEqual([]);
  });

  test('is limited to 256 KiB: refusals are reported to the model, which can still delegate', async () => {
    const nearlyFull = Array.from({ length: 17 }, (_, index) => ({
      name: 'take_notes',
      input: { from: index * 14, count: 14 },
    }));
    const handle = await play(
      scriptByTurn(
        useTools(nearlyFull),
        useTools(
          Array.from({ length: 12 }, (_, index) => ({ name: 'take_notes', input: { from: 1_000 + index, count: 1 } })),
        ),
        useTool('dispatch_subagent', dispatch()),
        say('done'),
      ),
      scriptByTurn(say('Looked.')),
    );
    await handle.result();
    const notes = asked[2]!.toolResults;
    expect(asked[1]!.toolResults.every(({ isError }) => !isError)).toBe(true);
    expect(notes[0]).toMatchObject({ isError: false });
    expect(notes.at(-1)).toMatchObject({ isError: true });
    expect(notes.at(-1)!.text).toMatch(/^Not applied:\nSession\.TooLarge: .*"notes"/);
    expect(told()[0]).toMatch(/^ok: Looked\./);
  });
});
