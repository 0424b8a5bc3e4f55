import type { Client } from '@temporalio/client';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createActivities } from '../../../activities/create-activities';
import type { AgentActivities } from '../../../activities/interface';
import { createAnthropicModel } from '../../../activities/model/anthropic-model';
import { saveSnapshot } from '../../../activities/session/snapshots';
import { addNoteTool } from '../../../activities/tool/builtin/plan-tools';
import { defaultLimits, type OpenedAgent, type TurnReply } from '../../../domain/agent';
import { type HandoffCheck, handoffRequest } from '../../../domain/handoff';
import {
  applyEvents,
  builtInSlices,
  createSessionSchema,
  emptySession,
  recordedDecisions,
  type Session,
  snapshot,
} from '../../../domain/session';
import type { SessionEvent } from '../../../domain/tool';
import type { BlobRef, Store } from '../../../domain/store';
import { openFileStore } from '../../../store/file/open-file-store';
import { TranscriptCache } from '../../../store/transcript/cache';
import { Transcripts } from '../../../store/transcript/transcripts';
import { say, type ScriptedModel, startScriptedModel, useTool } from '../../../testing/scripted-model';
import { handoff } from '../../domain/handoff/support';
import { quietEnvironment } from '../../support/activity-environment';
import { replyOf, turnInput, type TurnToTake } from '../agent/turn-support';

const schema = createSessionSchema(builtInSlices);
const facts = Array.from({ length: 20 }, (_, index) => `Fact ${index}: the port is ${4_000 + index}.`);
const chat = 'CHATTER that nobody needs';

const run = <Input, Result>(activity: (input: Input) => Promise<Result>, input: Input): Promise<Result> =>
  quietEnvironment().run(activity, input);

describe('takeHandoff', () => {
  let folder: string;
  let store: Store;
  let model: ScriptedModel;
  let activities: AgentActivities;
  let opened: OpenedAgent;
  let session: Session;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'baton-handoff-'));
    store = await openFileStore(join(folder, 'store'));
    model = await startScriptedModel(() => say('unscripted'));
    activities = createActivities({
      store,
      model: createAnthropicModel({ apiKey: 'scripted', baseUrl: model.baseUrl }),
      tools: [addNoteTool],
      prompts: [],
      client: {} as Client,
      searchAttributes: false,
      place: () => Promise.resolve(undefined),
    });
    const settings = { name: 'claude-sonnet-5-5', maxTokens: 4_000, window: 200_000 };
    const input = { runId: 'r1', goal: 'Find the ports.', model: settings, limits: defaultLimits };
    opened = await run(activities.openRun, input);
    session = emptySession(schema);
  });
  afterEach(async () => {
    await model.close();
    await rm(folder, { recursive: true, force: true });
  });

  const location = (): { runId: string; storeId: string } => ({ runId: 'r1', storeId: opened.storeId });
  const record = (...events: readonly SessionEvent[]): void => {
    const applied = applyEvents(schema, session, events);
    expect(applied.results.filter(({ status }) => status !== 'applied')).toEqual([]);
    session = applied.session;
  };
  const call = async (head: BlobRef, number: number, more: Partial<TurnToTake> = {}): Promise<TurnReply> => {
    const identity = { execution: 'e1', call: number, try: 0 };
    return replyOf(await run(activities.runTurn, turnInput({ ...location(), head, identity, ...more })));
  };
  const take = (written: unknown, number = 1): Promise<HandoffCheck> => {
    const text = typeof written === 'string' ? written : JSON.stringify(written);
    const { notes = [], artifacts = [], files = [] } = session.slices;
    const seen = { slices: { notes, artifacts, files } };
    return run(activities.takeHandoff, {
      ...location(),
      text: { text },
      opened,
      session: seen,
      number,
    });
  };
  const taken = async (written: unknown, number?: number): Promise<Extract<HandoffCheck, { ok: true }>> => {
    const result = await take(written, number);
    if (!result.ok) throw new Error(result.violation);
    return result;
  };
  const openingOf = (head: BlobRef): Promise<unknown> =>
    new Transcripts(store.forRun('r1'), new TranscriptCache()).load(head).then(({ entries }) => entries);
  const artifact = (name: string): SessionEvent => {
    const ref = { hash: 'a'.repeat(64), bytes: 1, mediaType: 'text/plain' };
    return { type: 'artifactWritten', value: { name, ref, by: 'run/r1' } };
  };

  /** A conversation with a tool call for each fact, up to the reply to the handoff request. */
  async function conversation(): Promise<TurnReply> {
    model.setScript(({ turn }) => {
      const text = facts[turn];
      if (text !== undefined) return useTool('add_note', { text, kind: 'decision' }, { text: `${chat} ${turn}` });
      return say(JSON.stringify({ ...handoff, decisions: facts }));
    });
    let head = opened.opening;
    let outcomes: TurnToTake['outcomes'] = [];
    for (const number of facts.keys()) {
      const reply = await call(head, number, { outcomes });
      const input = { ...location(), call: reply.toolCalls[0]!, workspace: null, agent: 'run/r1' };
      const { outcome, events } = await run(activities.executeTool, input);
      record(...events);
      head = reply.head;
      outcomes = [{ ...outcome, content: { text: `${chat}, said the tool` } }];
    }
    const request = handoffRequest({ decisions: recordedDecisions(session), artifacts: [] });
    return call(head, facts.length, { outcomes, notes: [request] });
  }

  test('carries 20 decisions into the first message of the new conversation, and nothing of the old one', async () => {
    const last = await conversation();
    const { notes, artifacts, files } = session.slices as Record<'notes' | 'artifacts' | 'files', []>;
    const seen = { slices: { notes, artifacts, files } };
    const input = { ...location(), text: last.text, opened, session: seen, number: 1 };
    const result = await run(activities.takeHandoff, input);
    if (!result.ok) throw new Error(result.violation);
    const before = model.calls.length;
    await call(result.head, facts.length + 1);
    const asked = JSON.stringify(model.calls.slice(before).map(({ request }) => request));
    expect(model.calls.slice(0, before).some(({ request }) => JSON.stringify(request).includes(chat))).toBe(true);
    expect(facts.filter((fact) => !asked.includes(fact))).toEqual([]);
    expect(asked).not.toContain('CHATTER');
    expect(asked).not.toContain('tool_use');
    const markdown = await store.forRun('r1').get(result.artifact.ref, 'test');
    expect(Buffer.from(markdown).toString('utf8')).toContain(facts.map((fact) => `- ${fact}\n`).join(''));
    expect(result.artifactTokens).toBe(Math.ceil(result.artifact.ref.bytes / 3));
  });

  test('opens the new conversation exactly as the old one, except for its first message', async () => {
    const { head } = await taken(handoff, 3);
    const [first] = (await openingOf(opened.opening)) as [object];
    const message = expect.stringMatching(/^An earlier agent[^]*<handoff number="3">[^]*Port the parser\./) as unknown;
    expect(await openingOf(head)).toEqual([{ ...first, firstMessage: message }]);
  });

  test('returns the same result when it is repeated', async () => {
    expect(await taken(handoff)).toEqual(await taken(handoff));
  });

  test('refuses a handoff that omits a recorded decision, and says which', async () => {
    record({ type: 'noteAdded', value: { text: 'Use tabs.', by: 'run/r1', kind: 'decision' } });
    record({ type: 'noteAdded', value: { text: 'Just a thought.', by: 'run/r1' } });
    expect(await take(handoff)).toEqual({
      ok: false,
      violation: 'decisions: a recorded decision is missing or not word for word: "Use tabs."',
    });
    expect(await take({ ...handoff, decisions: ['Use tabs.'] })).toMatchObject({ ok: true });
  });

  test('says why a message is not a valid handoff', async () => {
    expect(await take('Goodbye.')).toMatchObject({
      ok: false,
      violation: expect.stringMatching(/not exactly one JSON object/) as unknown,
    });
  });

  test('knows which artifacts exist, and does not reuse their names', async () => {
    record(artifact('findings.md'), artifact('HANDOFF.md'));
    expect(await take({ ...handoff, artifacts: ['dreams.md'] })).toMatchObject({ ok: false });
    const { artifact: written } = await taken({ ...handoff, artifacts: ['findings.md'] });
    expect(written).toMatchObject({ name: 'HANDOFF-2.md', ref: { mediaType: 'text/markdown' } });
  });

  test('lists the changed files in the new conversation', async () => {
    record({ type: 'fileChanged', value: { path: 'src/a.ts', expectedHash: null, newHash: 'b'.repeat(64), bytes: 1 } });
    const { head } = await taken(handoff);
    expect(JSON.stringify(await openingOf(head))).toMatch(/<changed_files>\\n- src\/a\.ts\\n/);
  });

  test('accepts a large session by reference', async () => {
    const notes = Array.from({ length: 60 }, (_, index) => `${index}`.padEnd(900, 'n'));
    record(...notes.map((text) => ({ type: 'noteAdded', value: { text, by: 'run/r1' } })));
    record({ type: 'noteAdded', value: { text: 'Use tabs.', by: 'run/r1', kind: 'decision' } });
    const ref = await saveSnapshot(store.forRun('r1'), snapshot(schema, session));
    const text = { text: JSON.stringify(handoff) };
    const input = { ...location(), text, opened, session: { ref }, number: 1 };
    expect(await run(activities.takeHandoff, input)).toMatchObject({ ok: false });
  });

  test('fails when the worker has a different store from the run', async () => {
    const input = { runId: 'r1', storeId: 'another', text: { text: '' }, opened, session: { slices: {} }, number: 1 };
    const failure: unknown = await run(activities.takeHandoff, input).catch((error: unknown) => error);
    expect(failure).toMatchObject({ type: 'Store.Other' });
  });
});
