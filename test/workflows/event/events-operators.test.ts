import { eventLine } from '../../../cli/agent/event-line';
import { batonRun } from '../../../client/agent/run-handle';
import type { RunEvent } from '../../../client/event/record';
import { runIdOf } from '../../../domain/kernel';
import { fail, longWork, longWorkDecision } from '../../../testing/scripted-model';
import { collectEvents, withoutCursors } from '../../support/events';
import { Harness } from '../../support/harness';
import { writeProject } from '../../support/skill-project';
import { until } from '../../support/until';

const by = 'ada';

describe('the events of a run with operator decisions and a handoff', () => {
  let harness: Harness;
  let runId: string;
  let all: readonly RunEvent[];
  beforeAll(async () => {
    const work = longWork();
    const refused = fail(401, { message: 'invalid x-api-key' });
    harness = await Harness.start((call) => (call.index === 0 ? refused : work(call)));
    const handle = await harness.startRun({
      // Full after reading some files.
      model: { name: 'claude-sonnet-5-5', maxTokens: 1_000, window: 8_000 },
      workspace: { root: await writeProject(`${harness.folder}/project`) },
      onFailure: 'hold',
    });
    runId = runIdOf(handle.workflowId) ?? '';
    const run = batonRun(harness.client, runId);
    await until(async () => (await run.snapshot())?.incidents[0]);
    await run.steer('Mind the tide.', { by });
    await run.pause({ by, note: 'lunch' });
    await run.resume({ by });
    await run.decide(null, { action: 'retry', by, note: 'the key was renewed' });
    await handle.result();
    all = await collectEvents(harness.client, handle);
  });
  afterAll(() => harness.close());

  test('show what it waited for, and who decided what', () => {
    const operators = all.filter(({ kind }) => /^agent\.(parked|answered|paused|resumed|steered)$/.test(kind));
    expect(withoutCursors(operators).map(({ at: _, agent: __, ...body }) => body)).toEqual([
      {
        kind: 'agent.parked',
        incident: 'i1',
        step: 'turn 1',
        type: 'Model.Unauthorized',
        message: expect.stringContaining('invalid x-api-key') as unknown,
        incidentKind: 'failure',
      },
      { kind: 'agent.steered', text: 'Mind the tide.', by },
      { kind: 'agent.paused', by, note: 'lunch' },
      { kind: 'agent.resumed', by, note: '' },
      { kind: 'agent.answered', incident: 'i1', action: 'retry', by, note: 'the key was renewed' },
    ]);
    expect(all.map((event) => eventLine(event))).toContainEqual(
      expect.stringContaining('root  needs an operator: i1, turn 1, Model.Unauthorized: 401'),
    );
  });

  test('show the handoff before the execution that continues from it, and contain every turn', () => {
    const kinds = all.map(({ kind }) => kind);
    const at = kinds.indexOf('agent.handedOver');
    expect(all[at]).toMatchObject({ handoff: 1, artifact: 'HANDOFF.md' });
    expect(kinds.indexOf('agent.continued')).toBeGreaterThan(at);
    expect(kinds.at(-1)).toBe('agent.completed');
    const turns = all.flatMap((event) => (event.kind === 'turn' ? [event.turn] : []));
    expect(turns).toEqual(turns.map((_, index) => index + 1));
    expect(harness.model.answered).toBe(turns.length);
  });

  test('match what the agents did: the new conversation knew the decision, and read no file twice', () => {
    const note = all.find((event) => event.kind === 'session.event' && event.type === 'noteAdded');
    expect(note).toMatchObject({ status: 'applied', value: { text: longWorkDecision, kind: 'decision' } });
    const asked = harness.model.calls.map(({ request }) => JSON.stringify(request));
    expect(asked.at(-1)).toContain(longWorkDecision);
    expect(asked.some((request) => request.includes('Mind the tide.'))).toBe(true);
    const reads = all.filter((event) => event.kind === 'tool' && event.tool === 'read_file');
    expect(reads).toHaveLength(6);
  });
});
