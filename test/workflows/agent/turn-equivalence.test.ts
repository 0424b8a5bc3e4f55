import fc from 'fast-check';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { defineTool, type Tool } from '../../../activities/tool/define-tool';
import { Conversations } from '../../../client/conversation/conversations';
import { auditStoredRun } from '../../../client/prompt/audit-run';
import { readStoredRun } from '../../../client/record/stored-run';
import { foldChanges } from '../../../store/workspace/fold';
import { say, type Script, useTools } from '../../../testing/scripted-model';
import { blocksOf } from '../../../testing/scripted-model/api';
import { filesQuery, sessionQuery } from '../../../workflows/messages';
import { reset } from '../../support/batches';
import { Harness, type RunHandle, type RunWishes } from '../../support/harness';
import { newToken, tokenOf } from '../../support/reset-scenarios';

type Call = Parameters<typeof useTools>[0][number];
/** The calls of each turn. An answer follows. */
type Conversation = readonly (readonly Call[])[];
type Tuning = NonNullable<RunWishes['tuning']>;

const path = fc.constantFrom('a.txt', 'b.txt', 'folder/c.txt', 'missing.txt');
const content = fc.constantFrom('one', 'two\nlines', 'x'.repeat(2_000));
const anyCall: fc.Arbitrary<Call> = fc.oneof(
  fc.record({ name: fc.constant('read_file'), input: fc.record({ path }) }),
  fc.record({ name: fc.constant('write_file'), input: fc.record({ path, content }) }),
  fc.record({ name: fc.constant('add_note'), input: fc.record({ text: content }) }),
  fc.record({
    name: fc.constant('add_plan_steps'),
    input: fc.record({ steps: fc.array(content, { minLength: 1, maxLength: 2 }) }),
  }),
  fc.record({ name: fc.constant('grep'), input: fc.record({ pattern: fc.constantFrom('one', '(') }) }),
  fc.record({
    name: fc.constant('write_artifact'),
    input: fc.record({ name: fc.constantFrom('r.md', 's.md'), content }),
  }),
  fc.constantFrom<Call>(
    { name: 'list_files', input: {} },
    { name: 'read_artifact', input: { name: 'r.md' } },
    { name: 'update_plan_step', input: { id: 's1', status: 'done' } },
    // One that the agent does not have, one with wrong parameters, and one that must not run twice.
    { name: 'no_such_tool', input: {} },
    { name: 'read_file', input: { path: 1 } },
    { name: 'pay', input: { amount: 1 } },
  ),
);
/** Calls after which an activity may take the next turn as well. */
const quietCall: fc.Arbitrary<Call> = fc.oneof(
  fc.record({ name: fc.constantFrom('read_file'), input: fc.record({ path }) }),
  fc.record({ name: fc.constant('add_note'), input: fc.record({ text: content }) }),
);
const anyTurn = fc.oneof(
  { weight: 2, arbitrary: fc.array(anyCall, { minLength: 1, maxLength: 10 }) },
  { weight: 3, arbitrary: fc.array(quietCall, { minLength: 1, maxLength: 2 }) },
);
const conversation: fc.Arbitrary<Conversation> = fc.array(anyTurn, { minLength: 1, maxLength: 5 });
/** How many turns an activity may take. */
const burst = fc.oneof(fc.constant(8), fc.integer({ min: 2, max: 7 }));

let payments = 0;
const payTool = defineTool({
  name: 'pay',
  id: 'test/pay@1',
  description: 'Pays.',
  parameters: z.strictObject({ amount: z.int() }),
  success: 'It is paid.',
  cost: 'The amount.',
  safeToRepeat: false,
  run: ({ amount }) => {
    payments += 1;
    return Promise.resolve({ message: `Paid ${amount}.` });
  },
});

/** Calls of the tools that give a different result each time. */
const ticks = { tick: 0, tock: 0 };
const countingTool = (name: keyof typeof ticks): Tool =>
  defineTool({
    name,
    id: `test/${name}@1`,
    description: 'Counts.',
    parameters: z.strictObject({}),
    success: 'It is counted.',
    cost: 'Free.',
    safeToRepeat: true,
    ...(name === 'tock' ? { inline: 'never' } : {}),
    run: () => {
      ticks[name] += 1;
      return Promise.resolve({ message: `${name} ${ticks[name]}.` });
    },
  });

describe('tools that run inside the turn', () => {
  const conversations = new Map<string, Conversation>();
  const script: Script = (call) => {
    const calls = conversations.get(tokenOf(call))?.[call.turn];
    return calls === undefined ? say(`Done after ${call.toolResults.length} results.`) : useTools(calls);
  };
  let harness: Harness;
  let root: string;
  beforeAll(async () => {
    harness = await Harness.start(script, { tools: [payTool, countingTool('tick'), countingTool('tock')] });
    root = join(harness.folder, 'workspace');
    await mkdir(join(root, 'folder'), { recursive: true });
    await writeFile(join(root, 'a.txt'), 'one\n');
    await writeFile(join(root, 'folder', 'c.txt'), 'one\ntwo\n'.repeat(3_000));
  });
  afterAll(() => harness.close());

  const start = async (calls: Conversation, tuning: Tuning): Promise<{ run: RunHandle; token: string }> => {
    const token = newToken();
    conversations.set(token, calls);
    const goal = `Look around for ${token}.`;
    const run = await harness.startRun({ goal, workspace: { root }, tuning });
    return { run, token };
  };

  /** The calls of a run that has ended, as the store alone has them. What is audited has no difference. */
  const storedCalls = async (run: RunHandle): Promise<unknown[]> => {
    const store = harness.store.forRun(run.workflowId.slice('run/'.length));
    const stored = await readStoredRun(store);
    expect((await auditStoredRun(stored!)).difference).toBeNull();
    const range = { after: -1, limit: 1_000, whole: true };
    const { entries } = await new Conversations(store).read(run.workflowId, range);
    const calls = entries.flatMap((entry) => (entry.kind === 'turn' ? entry.calls : []));
    return calls.map(({ tool, arguments: given, result }) => ({ tool, given, result }));
  };

  /** Everything that a conversation leaves behind, without what names the run. */
  const play = async (calls: Conversation, tuning: Tuning): Promise<{ facts: unknown; activities: string[] }> => {
    const { run, token } = await start(calls, tuning);
    const { transcript: _, ...result } = await run.result();
    const runId = run.workflowId.slice('run/'.length);
    const [session, { artifacts, workspace }] = [await run.query(sessionQuery), await run.query(filesQuery)];
    // A turn folds changes into the tree earlier than the workflow does.
    const files = workspace && (await foldChanges(harness.store.forRun(runId), workspace.root, workspace.changes));
    const requests = harness.model.calls.filter(({ request }) => JSON.stringify(request).includes(token));
    const sent = requests.map(({ request }) =>
      request.messages.map((message) => ({ role: message.role, blocks: blocksOf(message) })),
    );
    const { events = [] } = await run.fetchHistory();
    const stored = await storedCalls(run);
    const facts = withoutNames({ result, session, artifacts, files, sent, stored }, [token, runId]);
    return {
      facts,
      activities: (events ?? []).flatMap(
        (event) => event.activityTaskScheduledEventAttributes?.activityType?.name ?? [],
      ),
    };
  };

  test('have the same effects as tools that run in activities of their own, and as turns that share one', async () => {
    const totals = { ranOutside: 0, savedTools: 0, savedTurns: 0 };
    await fc.assert(
      fc.asyncProperty(conversation, burst, async (calls, turnsPerActivity) => {
        const tunings = [{}, { toolsInside: false }, { turnsPerActivity }] as const;
        const [inside, outside, together] = await Promise.all(
          tunings.map(async (tuning) => {
            const { facts, activities } = await play(calls, tuning);
            const count = (type: string): number => activities.filter((name) => name === type).length;
            return { facts, tools: count('executeTool'), turns: count('runTurn') };
          }),
        );
        if (inside === undefined || outside === undefined || together === undefined) throw new Error('Not played');
        expect(inside.facts).toEqual(outside.facts);
        expect(together.facts).toEqual(inside.facts);
        const { stored } = inside.facts as { stored: unknown[] };
        expect(stored.length).toBeGreaterThan(0);
        expect(stored).not.toContainEqual(expect.objectContaining({ result: null }));
        totals.ranOutside += inside.tools;
        totals.savedTools += outside.tools - inside.tools;
        totals.savedTurns += inside.turns - together.turns;
      }),
      { numRuns: 12, seed: 17, endOnFailure: true },
    );
    // All kinds of turns occurred.
    expect(totals.ranOutside).toBeGreaterThan(5);
    expect(totals.savedTools).toBeGreaterThan(30);
    expect(totals.savedTurns).toBeGreaterThan(5);
  });

  const calls: Conversation = [
    [{ name: 'write_file', input: { path: 'a.txt', content: 'two' } }],
    [
      { name: 'read_file', input: { path: 'a.txt' } },
      { name: 'pay', input: { amount: 2 } },
    ],
    [
      { name: 'tick', input: {} },
      { name: 'add_note', input: { text: 'Found it.' } },
    ],
    [{ name: 'add_note', input: { text: 'And this.' } }],
    [{ name: 'tock', input: {} }],
  ];
  test.each<{ tuning: Tuning; tasks: number }>([
    { tuning: {}, tasks: 8 },
    { tuning: { toolsInside: false }, tasks: 8 },
    { tuning: { turnsPerActivity: 8 }, tasks: 6 },
  ])('are not run or paid for again by a reset, to whichever workflow task (%j)', async ({ tuning, tasks: least }) => {
    const earlier = { ...ticks, payments };
    const { run } = await start(calls, tuning);
    const before = await run.result();
    const asked = harness.model.calls.length;
    const { events } = await run.fetchHistory();
    const tasks = (events ?? []).flatMap((event) =>
      event.workflowTaskCompletedEventAttributes ? [event.eventId] : [],
    );
    let runId = run.firstExecutionRunId;
    for (const task of tasks.reverse()) {
      runId = await reset(harness.client, { workflowId: run.workflowId, runId }, task);
      expect(await harness.client.workflow.getHandle(run.workflowId, runId).result()).toEqual(before);
    }
    expect(tasks.length).toBeGreaterThanOrEqual(least);
    expect(harness.model.calls).toHaveLength(asked);
    const { tick, tock } = earlier;
    expect({ ...ticks, payments }).toEqual({ tick: tick + 1, tock: tock + 1, payments: earlier.payments + 1 });
  });
});

/** Replaces the names of the run and of its calls in all texts. */
function withoutNames(value: object, names: readonly string[]): unknown {
  const text = names.reduce((found, name) => found.replaceAll(name, '<run>'), JSON.stringify(value));
  return JSON.parse(text.replaceAll(/toolu_[\da-f]+/g, '<call>'));
}
