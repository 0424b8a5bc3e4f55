import { z } from 'zod';
import { createActivities } from '../../../activities/create-activities';
import type { ModelAnswer, ModelPort } from '../../../activities/dependencies';
import type { AgentActivities } from '../../../activities/interface';
import { defineTool } from '../../../activities/tool/define-tool';
import {
  areTurns,
  defaultLimits,
  type Inside,
  type OpenedAgent,
  type RunTurnInput,
  type RunTurnResult,
  type Turn,
} from '../../../domain/agent';
import type { JsonObject } from '../../../domain/kernel';
import { type Store, StoreFullError } from '../../../domain/store';
import { callKey } from '../../../domain/tool';
import { openFileStore } from '../../../store/file/open-file-store';
import { TranscriptCache } from '../../../store/transcript/cache';
import { Transcripts } from '../../../store/transcript/transcripts';
import { unsyncedFiles } from '../../store/support/failing-files';
import { newFolder } from '../../store/support/folders';
import { Attempts, quietEnvironment } from '../../support/activity-environment';
import { turnInput, type TurnToTake } from './turn-support';

const usage = { input: 10, cacheRead: 0, cacheWrite: 0, output: 5 };
type Requested = readonly (readonly [name: string, input?: JsonObject])[];

/** A model that requests these tools in its first turn, and then answers. */
class Requesting implements ModelPort {
  readonly nativeStructuredOutput = false;
  asked = 0;

  constructor(private readonly requested: Requested) {}

  reply(): Promise<ModelAnswer> {
    this.asked += 1;
    const calls = this.requested.map(([name, input = {}], index) => ({
      type: 'toolCall' as const,
      id: `call-${index}`,
      name,
      input,
    }));
    const answer = { usage, model: 'claude-sonnet-5-5' };
    if (calls.length > 0) return Promise.resolve({ ...answer, content: calls, stopReason: 'toolCalls' });
    return Promise.resolve({ ...answer, content: [{ type: 'text', text: 'Done.' }], stopReason: 'done' });
  }

  countTokens(): Promise<number> {
    return Promise.resolve(0);
  }
}

/** Names of tools in the order in which they ran, and the keys of their calls. */
const ran: { name: string; key: string }[] = [];
let failing: Error | undefined;

const tool = (name: string, run: () => Promise<string> = () => Promise.resolve(`${name} done`), safeToRepeat = true) =>
  defineTool({
    name,
    id: `test/${name}@1`,
    description: 'A tool.',
    parameters: z.looseObject({}),
    success: 'Done.',
    cost: 'None.',
    safeToRepeat,
    async run(_, { key }) {
      ran.push({ name, key });
      return { message: await run(), events: [{ type: 'noteAdded', value: { text: name, by: 'x' } }] };
    },
  });
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const tools = [
  tool('quick'),
  tool('other'),
  tool('slow', () => wait(1_100).then(() => 'slow done')),
  tool('once', undefined, false),
  tool('broken', () => Promise.reject(new Error('oops'))),
  tool('storing', () => (failing === undefined ? Promise.resolve('stored') : Promise.reject(failing))),
];

let store: Store;
let opened: OpenedAgent;
let executions = 0;
const worker = (model: ModelPort, has = tools): AgentActivities =>
  createActivities({
    store,
    model,
    tools: has,
    prompts: [],
    client: {} as never,
    searchAttributes: false,
    place: () => Promise.resolve(undefined),
  });

beforeAll(async () => {
  store = await openFileStore(await newFolder(), { files: unsyncedFiles });
  opened = await quietEnvironment().run(worker(new Requesting([])).openRun, {
    runId: 'r1',
    goal: 'Do it.',
    model: { name: 'claude-sonnet-5-5', maxTokens: 4_000, window: 200_000 },
    limits: defaultLimits,
  });
});
beforeEach(() => {
  ran.length = 0;
  failing = undefined;
  executions += 1;
});

const inputOf = (more: Partial<TurnToTake> = {}): RunTurnInput =>
  turnInput({
    runId: 'r1',
    storeId: opened.storeId,
    head: opened.opening,
    identity: { execution: `e${executions}`, call: 0, try: 0 },
    inside: {},
    ...more,
  });
const toolsRun = (): string[] => ran.map(({ name }) => name).sort();

function turnOf(turn: RunTurnResult): Turn {
  if (!areTurns(turn)) throw new Error(JSON.stringify(turn));
  return turn;
}

async function take(requested: Requested, inside: Inside | null = {}): Promise<Turn> {
  const { inside: _, ...input } = inputOf();
  const attempt = { ...input, ...(inside === null ? {} : { inside }) };
  return turnOf(await quietEnvironment().run(worker(new Requesting(requested)).runTurn, attempt));
}

/** What the model is told in the turn after this one. */
async function toldAfter({ head }: Turn, more: Partial<TurnToTake> = {}): Promise<unknown> {
  const identity = { execution: `e${executions}`, call: 1, try: 0 };
  const input = inputOf({ head, identity, ran: 0, ...more });
  const next = turnOf(await quietEnvironment().run(worker(new Requesting([])).runTurn, input));
  const ref = { ...next.head, mediaType: 'application/json' };
  const { entries } = await new Transcripts(store.forRun('r1'), new TranscriptCache()).load(ref);
  return entries.flatMap((entry) => (entry.kind === 'toolResults' ? entry.results : []));
}

describe('tool calls inside a turn', () => {
  test('run with the model call, and history learns what the session needs but not their results', async () => {
    const turn = await take([['quick', { path: 'a.md' }], ['broken']]);
    expect(turn.ran).toEqual([
      expect.objectContaining({ id: 'call-0', name: 'quick', about: '{"path":"a.md"}', bytes: 20 }),
      expect.objectContaining({ id: 'call-1', name: 'broken', isError: true }),
    ]);
    expect(turn.ran?.[0]?.events).toHaveLength(1);
    expect(turn).not.toHaveProperty('calls');
    expect(JSON.stringify(turn)).not.toContain('quick done');
  });

  test('are told to the model by the next turn, in the order of the calls', async () => {
    expect(await toldAfter(await take([['quick'], ['other']]))).toEqual([
      { callId: 'call-0', isError: false, text: 'quick done' },
      { callId: 'call-1', isError: false, text: 'other done' },
    ]);
  });

  test('are named by the heartbeats while they run', async () => {
    const environment = quietEnvironment({ heartbeatTimeoutMs: 150 });
    const said: unknown[] = [];
    environment.on('heartbeat', (details: unknown) => said.push(details));
    await environment.run(worker(new Requesting([['slow'], ['quick']])).runTurn, inputOf());
    expect(said).toContainEqual({ turn: 1, tools: ['slow'] });
  });

  test('stay outside if another call of the reply does and they might take long', async () => {
    const turn = await take([['quick'], ['once']]);
    expect(turn.calls).toEqual([
      expect.objectContaining({ name: 'quick', index: 0, why: 'mixed' }),
      expect.objectContaining({ name: 'once', index: 1, why: 'once' }),
    ]);
    expect(ran).toEqual([]);
  });

  test('are told with the verdict of the session, or not at all if there is no room', async () => {
    const turn = await take([['quick'], ['other']]);
    const verdicts = { 'call-0': { complaint: 'no such step' }, 'call-1': { remark: 'Ids: 1.' } };
    expect(await toldAfter(turn, { verdicts })).toEqual([
      { callId: 'call-0', isError: true, text: 'Not applied:\nno such step' },
      { callId: 'call-1', isError: false, text: 'other done Ids: 1.' },
    ]);
    expect(await toldAfter(turn, { withheld: ['call-1'] })).toEqual([
      { callId: 'call-0', isError: false, text: 'quick done' },
      { callId: 'call-1', isError: false, text: expect.stringMatching(/^\[Not shown: about 7 tokens/) as unknown },
    ]);
  });

  test('have the same idempotency key as outside', async () => {
    await take([['quick'], ['other', { text: 'x'.repeat(1_000) }]]);
    const left = (await take([['quick'], ['other', { text: 'x'.repeat(1_000) }]], null)).calls;
    const reply = { execution: `e${executions}`, call: 0, try: 0 };
    const keys = (left ?? []).map((call) => callKey(reply, call.index, call));
    expect(ran.map(({ key }) => key)).toEqual(keys);
  });

  test('do not run again in another attempt or after a reset, and have the same results', async () => {
    const model = new Requesting([['quick'], ['broken']]);
    const attempts = new Attempts('runTurn');
    const first = await attempts.next(worker(model).runTurn, inputOf());
    expect(await attempts.next(worker(model).runTurn, inputOf())).toEqual(first);
    // Nor on a worker that does not have the tools, after several have died.
    await attempts.next(() => Promise.resolve(), undefined);
    expect(await attempts.next(worker(model, []).runTurn, inputOf())).toEqual(first);
    expect(model.asked).toBe(1);
    expect(toolsRun()).toEqual(['broken', 'quick']);
  });

  test('that took long do not run again if the turn fails because of another', async () => {
    const model = new Requesting([['slow'], ['storing'], ['quick']]);
    const attempts = new Attempts('runTurn');
    failing = new StoreFullError('/store');
    await expect(attempts.next(worker(model).runTurn, inputOf())).rejects.toMatchObject({ type: 'Store.Full' });
    failing = undefined;
    const turn = turnOf(await attempts.next(worker(model).runTurn, inputOf()));
    expect(turn.ran?.map(({ name }) => name)).toEqual(['slow', 'storing', 'quick']);
    expect(toolsRun()).toEqual(['quick', 'quick', 'slow', 'storing', 'storing']);
    expect(model.asked).toBe(1);
  });

  test('are left to the workflow when two workers have died with them', async () => {
    const model = new Requesting([['quick']]);
    const attempts = new Attempts('runTurn');
    // The answer is journaled, and then the worker dies: nothing of the tool is recorded.
    failing = new StoreFullError('/store');
    const dying = worker(model, [tool('quick', () => Promise.reject(new StoreFullError('/store')))]);
    for (let died = 0; died < 2; died += 1) {
      await attempts.next(dying.runTurn, inputOf()).catch(() => undefined);
      attempts.forgetHeartbeats();
    }
    const turn = turnOf(await attempts.next(worker(model).runTurn, inputOf()));
    expect(turn.calls).toEqual([expect.objectContaining({ name: 'quick', index: 0, why: 'died' })]);
    expect(turn).not.toHaveProperty('ran');
  });

  test('run outside if the input says so, or the worker does not have the tool', async () => {
    expect((await take([['quick']], null)).calls).toHaveLength(1);
    const model = new Requesting([['quick']]);
    const turn = turnOf(await quietEnvironment().run(worker(model, []).runTurn, inputOf({ notes: ['again'] })));
    expect(turn.calls).toEqual([expect.objectContaining({ name: 'quick', why: 'worker' })]);
  });
});
