import { WorkflowNotFoundError } from '@temporalio/client';
import { join } from 'node:path';
import { createBaton, readStoredRun, type RunHandle } from '../../../client';
import type { ConversationEntry, ConversationPage, ConversationTurn } from '../../../client/conversation/conversation';
import { ChainLinks } from '../../../client/conversation/chain-links';
import { Conversations } from '../../../client/conversation/conversations';
import { placeLinks } from '../../../client/conversation/place-links';
import { StoredRecord } from '../../../client/conversation/stored-record';
import { sha256 } from '../../../store/blobs';
import { readAnswers } from '../../../store/run-record';
import { refuse, say, type Script, useTool, useTools } from '../../../testing/scripted-model';
import { batonInProcess, type Printed } from '../../cli/support/in-process';
import { batch, reasonOf } from '../../support/batches';
import { byDepth, dispatch } from '../../support/delegation-script';
import { handingOver, handoffsBefore, lookUp } from '../../support/handoffs';
import { Harness } from '../../support/harness';
import { operated } from '../../support/parked';
import { until } from '../../support/until';

const longAnswer = `All done. \u001B[2J${'Much to say.\n'.repeat(400)}`;

describe('the conversation of an agent', () => {
  let harness: Harness;
  let run: RunHandle;
  let isRefused = true;
  let page: ConversationPage;
  const root: Script = handingOver((call) => {
    if (handoffsBefore(call) === 0) {
      return useTools(
        [
          { name: 'look_up', input: { seed: call.turn, bytes: 8_000 } },
          { name: 'read_file', input: { path: 'missing.txt' } },
        ],
        { text: `I look up ${call.turn}.`, thinking: 'Where might it be?' },
      );
    }
    if (call.turn === 0) return useTool('dispatch_subagents', batch(['one', 'two']), { text: 'Two helpers.' });
    if (call.turn === 1) return useTool('dispatch_subagent', dispatch());
    return isRefused ? refuse() : say(longAnswer);
  });

  beforeAll(async () => {
    // Histories that were deleted can't be replayed.
    harness = await Harness.start(
      byDepth(root, (call) => say(`Fine: ${reasonOf(call)}`)),
      { replayed: false, tools: [lookUp] },
    );
    run = await createBaton(harness.client, harness).startRun({
      goal: 'Look around.',
      onFailure: 'hold',
      model: { name: 'claude-sonnet-5-5', maxTokens: 2_500, window: 20_000 },
    });
    const agent = operated(harness.client, run.workflowId);
    const { id } = await agent.incident();
    await run.steer('Be brief.', { by: 'ann' });
    isRefused = false;
    await agent.decide({ incident: id, action: 'retry', by: 'ann', note: 'Again.' });
    await run.result();
    page = await reader().read(run.workflowId);
  });
  afterAll(() => harness.close());

  const reader = (isOnline = true): Conversations =>
    new Conversations(harness.store.forRun(run.runId), isOnline ? harness.client : null);
  const baton = (...args: string[]): Promise<Printed> => {
    const { client, folder } = harness;
    return batonInProcess({ client, folder, env: { BATON_STORE_DIR: join(folder, 'store') } }, args);
  };

  test('has every message, turn, call, handoff and decision in order, with its time, tokens and cost', () => {
    const { entries } = page;
    expect(entries.map(summary)).toEqual([
      'message opening',
      ...[1, 2, 3, 4].map((turn) => `turn ${turn}: look_up, read_file failed`),
      'message engine',
      'turn 5: look_up, read_file failed',
      'message engine',
      'turn 6',
      'handoff',
      'message opening',
      'turn 7: dispatch_subagents',
      'turn 8: dispatch_subagent',
      'turn 9',
      'decision',
      'message operator',
      'turn 10',
    ]);
    expect(entries.map(({ position }) => position)).toEqual(entries.map((_, index) => index));
    const times = entries.map(({ at }) => Date.parse(at ?? ''));
    expect(times).toEqual([...times].sort((a, b) => a - b));
    const [first] = turns(entries);
    expect(first).toMatchObject({
      attempts: 1,
      thinking: [{ text: 'Where might it be?' }],
      text: [{ text: 'I look up 0.' }],
      calls: [
        { arguments: { text: '{"bytes":8000,"seed":0}' }, result: { isError: false, whole: { bytes: 8_000 } } },
        { result: { isError: true, text: 'You have no workspace: there are no files.' } },
      ],
    });
    expect(Date.parse(first?.at ?? '') - Date.parse(first?.startedAt ?? '')).toBe(first?.tookMs);
    expect(first?.calls.map(({ tookMs }) => tookMs)).not.toContain(null);
    expect(texts(entries, 'operator')).toEqual(['Be brief.']);
    expect(entries.at(-3)).toMatchObject({ kind: 'decision', text: 'ann decided "retry" about incident i1 (Again.)' });
    expect(page).toMatchObject({ total: 17, speaking: null });
  });

  test('costs what the run cost, and names the delegations that calls started', async () => {
    const outcome = await run.result();
    const own = turns(page.entries).reduce((sum, { microUsd }) => sum + (microUsd ?? 0), 0);
    expect(outcome).toMatchObject({ kind: 'completed', result: { own: { microUsd: own } } });
    const { children } = await run.tree();
    const started = turns(page.entries).flatMap(({ calls }) => calls.flatMap(({ delegations = [] }) => delegations));
    expect(started).toEqual(children.map(({ workflowId }) => workflowId.split('/').at(-1)));
    const child = await reader().read(children[2]?.workflowId ?? '');
    expect(child.entries.map(summary)).toEqual(['message opening', 'turn 1']);
  });

  test('is given in pages, long texts by their beginning, and whole by their hash', async () => {
    const conversations = reader();
    const middle = await conversations.read(run.workflowId, { after: 8, limit: 3 });
    expect(middle.entries).toEqual(page.entries.slice(9, 12));
    const before = await conversations.read(run.workflowId, { before: 9, limit: 3 });
    expect(before.entries).toEqual(page.entries.slice(6, 9));
    expect(await conversations.turns(run.workflowId, 7)).toEqual([{ from: 11, position: 11 }]);
    const { text } = turns(page.entries).at(-1) ?? {};
    const { whole } = text?.[0] ?? {};
    expect(whole?.hash).toBe(sha256(longAnswer));
    expect(await conversations.text(run.workflowId, whole?.hash ?? '')).toBe(longAnswer);
    const result = turns(page.entries)[0]?.calls[0]?.result?.whole;
    expect(await conversations.text(run.workflowId, result?.hash ?? '')).toHaveLength(8_000);
    const all = await conversations.read(run.workflowId, { whole: true });
    expect(turns(all.entries).at(-1)?.text).toEqual([{ text: longAnswer }]);
  });

  test('is the same from the store alone, except for attempts and exact times', async () => {
    const stored = await reader(false).read(run.workflowId);
    expect({ ...stored, entries: stored.entries.map(withoutTimes) }).toEqual({
      ...page,
      entries: page.entries.map(withoutTimes),
    });
    expect(turns(stored.entries).map(({ tookMs }) => tookMs)).toEqual(turns(page.entries).map(({ tookMs }) => tookMs));
  });

  test('shows turns that a reset took back, from the store alone', async () => {
    const store = harness.store.forRun(run.runId);
    const agent = (await readStoredRun(store))!.root;
    const links = new ChainLinks(store);
    const [, , second] = await links.upTo(agent.head);
    // As if the run had been reset to its second turn.
    const answers = (await readAnswers(store)).get(run.workflowId)!;
    const record = new StoredRecord(store, { ...agent, head: second!.ref }, answers);
    const placed = await placeLinks(links, second!.ref, record);
    const shown = placed.map((one) =>
      one.kind === 'mark' ? one.step.kind : `${one.turn}${one.replaced === undefined ? '' : ' taken back'}`,
    );
    expect(shown.slice(0, 4)).toEqual(['0', '1', '2', '3 taken back']);
    expect(shown.filter((one) => one.endsWith('taken back'))).toEqual(
      [3, 4, 5, 6, 7, 8, 9, 10].map((turn) => `${turn} taken back`),
    );
    expect(shown.at(-1)).toBe('reset');
  });

  test('is printed by baton transcript, folded at 80 columns, with harmless control characters', async () => {
    const { exitCode, stdout } = await baton('transcript', run.runId);
    expect(exitCode).toBe(0);
    const lines = stdout.split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(stdout).not.toContain('\u001B');
    expect(stdout).toContain('\\u{1B}[2JMuch to say.');
    expect(stdout).toContain('    Where might it be?\n  I look up 0.\n  → look_up {"bytes":8000,"seed":0}  ');
    expect(stdout).toMatch(/✗ read_file \{"path":"missing.txt"\} +\d+ ms\n {4}You have no workspace/);
    expect(stdout).toContain(`… 376 more lines: baton transcript ${run.runId} --turn 10 --full`);
    expect(stdout).toMatch(/^handoff · [\d:]+\n {2}Handoff 1: the conversation continues from HANDOFF.md/m);
    expect(stdout).toMatch(/^from an operator · [\d:]+\n {2}Be brief\.$/m);
    expect(stdout).toMatch(/2 delegations: \w{8}, \w{8}\n +baton transcript /);
  });

  test('shows one turn, everything of it, or JSON', async () => {
    const { stdout } = await baton('transcript', run.runId, '--turn', '10', '--full');
    expect(stdout).toMatch(/^from an operator/);
    expect(stdout.match(/Much to say\./g)).toHaveLength(400);
    const { stdout: json } = await baton('transcript', run.runId, '--json');
    expect(json.trim().split('\n').map(parsed)).toEqual(page.entries);
    const [child] = turns(page.entries)[7]?.calls[0]?.delegations ?? [];
    const named = await baton('transcript', `${run.runId}/${child?.slice(0, 6)}`);
    expect(named.stdout).toContain('  Fine: Find out what there is.');
  });

  test.each([
    { args: ['nothing-there'], exitCode: 1, says: 'Run "nothing-there" does not exist' },
    { args: ['RUN/zzzz'], exitCode: 1, says: 'has no delegation "zzzz"' },
    { args: ['RUN', '--turn', '11'], exitCode: 1, says: 'has no turn 11. It has taken 10 turns.' },
    { args: ['RUN', '--turn', '0'], exitCode: 2, says: '--turn' },
    { args: ['RUN', '--turn', '1', '--follow'], exitCode: 2, says: '--turn or --follow' },
  ])('says what is wrong with $args', async ({ args, exitCode, says }) => {
    const printed = await baton('transcript', ...args.map((arg) => arg.replace('RUN', run.runId)));
    expect(printed).toMatchObject({ exitCode, stdout: '' });
    expect(printed.stderr).toContain(says);
  });

  test('is named in the lines of baton tail: which file, and which error', async () => {
    const { stdout } = await baton('tail', run.runId);
    expect(stdout).toContain(
      'tool read_file {"path":"missing.txt"}: error: You have no workspace: there are no files.',
    );
    expect(stdout).toMatch(/tool look_up \{"bytes":8000,"seed":0\}: ok: Fact 0: the port of service 0 is 4000\./);
    const { stdout: json } = await baton('tail', run.runId, '--json');
    const events = json.trim().split('\n').map(parsed) as Record<string, unknown>[];
    const started = events
      .filter(({ kind }) => kind === 'delegation.started')
      .sort((a, b) => Number(a['turn']) - Number(b['turn']) || Number(a['index']) - Number(b['index']));
    expect(started).toMatchObject([
      { turn: 7, index: 0, size: 2 },
      { turn: 7, index: 1, size: 2 },
      { turn: 8, index: 0, size: 1 },
    ]);
    const [batchCall] = turns(page.entries)[6]?.calls ?? [];
    expect(started[0]).toMatchObject({ callId: batchCall?.callId });
    expect(events.find(({ kind }) => kind === 'agent.parked')).toMatchObject({ incidentKind: 'failure' });
  });

  test('is read from the store when the server has forgotten the run', async () => {
    const known = await baton('transcript', run.runId);
    const { children } = await run.tree();
    for (const workflowId of [run.workflowId, ...children.map((child) => child.workflowId)]) await forget(workflowId);
    const stored = await baton('transcript', run.runId);
    expect(stored.exitCode).toBe(0);
    expect(stored.stderr).toContain('From the store; the server no longer has this run.');
    expect(withoutClock(stored.stdout)).toBe(withoutClock(known.stdout));
  });

  /** Deletes a workflow, as the server does when its retention period has passed. */
  async function forget(workflowId: string): Promise<void> {
    const { client } = harness;
    const handle = client.workflow.getHandle(workflowId);
    const isGone = (error: unknown): true | undefined => error instanceof WorkflowNotFoundError || undefined;
    for await (const { runId } of client.workflow.list({ query: `WorkflowId = '${workflowId}'` })) {
      const workflowExecution = { workflowId, runId };
      await client.workflowService.deleteWorkflowExecution({ namespace: 'default', workflowExecution });
    }
    await until(() => handle.describe().then(() => undefined, isGone));
  }
});

function parsed(line: string): unknown {
  return JSON.parse(line);
}

function turns(entries: readonly ConversationEntry[]): readonly ConversationTurn[] {
  return entries.filter((entry) => entry.kind === 'turn');
}

function texts(entries: readonly ConversationEntry[], from: string): readonly string[] {
  return entries.flatMap((entry) => (entry.kind === 'message' && entry.from === from ? [entry.text.text] : []));
}

function summary(entry: ConversationEntry): string {
  if (entry.kind === 'message') return `message ${entry.from}`;
  if (entry.kind !== 'turn') return entry.kind;
  const calls = entry.calls.map(({ tool, result }) => `${tool}${result?.isError === true ? ' failed' : ''}`);
  return `turn ${entry.turn}${calls.length === 0 ? '' : `: ${calls.join(', ')}`}`;
}

function withoutTimes(entry: ConversationEntry): unknown {
  const { at: _at, ...rest } = entry;
  if (rest.kind !== 'turn') return rest;
  const { startedAt: _startedAt, attempts: _attempts, ...turn } = rest;
  return { ...turn, calls: turn.calls.map(({ startedAt: _s, tookMs: _t, ...call }) => call) };
}

function withoutClock(text: string): string {
  return text.replace(/\d\d:\d\d:\d\d/g, '').replace(/ {2}[\d.]+ m?s$/gm, '');
}
