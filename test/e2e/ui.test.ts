import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createBaton, readEvents, type RunHandle } from '../../client';
import { applyChange } from '../../client/view/changes';
import type { AgentRow, RunRow } from '../../client/view/run-view';
import type { UiServer } from '../../cli/ui/http/ui-server';
import type * as Page from '../../page/protocol';
import { refuse, say, type Script, useTool, useTools } from '../../testing/scripted-model';
import { batch, reasonOf } from '../support/batches';
import { byDepth } from '../support/delegation-script';
import { Harness } from '../support/harness';
import { projectRoot } from '../support/paths';
import { ask, openStream, post, type OpenStream } from '../support/ui/page-client';
import { shipped, writeProject } from '../support/skill-project';
import { expectSwiftWithAway } from '../support/ui/swift-incidents';
import { playRelay, relayNamed } from '../support/relays';
import { listedRow } from '../support/ui/listed-row';
import { harnessSource } from '../support/ui/real-source';
import { startUiOn } from '../support/ui/start-ui';
import { until } from '../support/until';

const impossible = 'Do what nobody can do.';
const longText = 'Much to say. '.repeat(500);

describe('the page of a real run', () => {
  let harness: Harness;
  let run: RunHandle;
  let server: UiServer;
  let stream: OpenStream;
  let first: Page.RunSnapshot;
  let isRefused = true;

  beforeAll(async () => {
    const root = byDepth(
      (call) => {
        if (call.turn === 0)
          return useTool('dispatch_subagents', batch(['one', 'two', 'three']), { text: 'Three helpers.' });
        if (call.turn === 1)
          return useTools([
            { name: 'write_artifact', input: { name: 'PLAN.md', content: '# Plan' } },
            { name: 'add_note', input: { text: longText } },
          ]);
        return say(`All done. ${longText}`);
      },
      (call) => (isRefused && reasonOf(call).includes('two') ? refuse() : say(`Fine: ${reasonOf(call)}`)),
    );
    const script: Script = (call) => (call.systemText.includes(impossible) ? refuse() : root(call));
    harness = await Harness.start(script, { replayed: false, skills: await shipped() });
    server = await startUiOn(harnessSource(harness));
    run = await createBaton(harness.client, harness).startRun({ goal: 'Look around.', onFailure: 'hold' });
    first = await read<Page.RunSnapshot>('');
    const { epoch } = (await ask(server, '/api/hello')).json() as Page.Hello;
    stream = await openStream(server, `run=${run.runId}&focus=&after=${epoch}.${first.seq}`);
  });
  afterAll(async () => {
    stream.close();
    await server.close();
    await harness.close();
  });

  async function read<T>(rest: string): Promise<T> {
    const answer = await ask(server, `/api/runs/${run.runId}${rest}`);
    if (answer.status !== 200) throw new Error(`${rest}: ${answer.status} ${answer.text}`);
    return answer.json() as T;
  }

  function shown(): ReadonlyMap<string, AgentRow> {
    const rows = new Map(first.agents.map((row) => [row.path, row]));
    for (const frame of stream.frames) {
      if (frame.kind !== 'rows') continue;
      for (const change of frame.rows) rows.set(change.path, applyChange(rows.get(change.path), change));
    }
    return rows;
  }

  function last<Kind extends Page.Frame['kind']>(kind: Kind): (Page.Frame & { kind: Kind }) | undefined {
    return stream.frames.filter((frame): frame is Page.Frame & { kind: Kind } => frame.kind === kind).at(-1);
  }

  test('shows who needs you, takes the decision through a worker that was killed, and ends', async () => {
    const incident = await until(() => Promise.resolve(last('incidents')?.incidents[0]));
    expect(incident).toMatchObject({ id: 'i1', kind: 'failure', type: 'Model.Refused', alike: 0 });
    expect(last('run')?.run).toMatchObject({ state: 'needs you', waiting: { incidents: 1 } });
    const attention = await until(async () => {
      const found = (await ask(server, '/api/attention')).json() as Page.Attention;
      return found.incidents.some(({ runId, id }) => runId === run.runId && id === 'i1') ? found : undefined;
    });
    expect(attention.count).toBeGreaterThan(0);
    const list = (await ask(server, `/api/runs?state=needs%20you&q=${run.runId}`)).json() as Page.RunList;
    expect(list.runs).toMatchObject([{ runId: run.runId, state: 'needs you', goal: 'Look around.' }]);

    await expectSwiftWithAway(harness, run.workflowId);

    await harness.stopWorker();
    await harness.startWorker();
    const wrong = await post(server, `/api/runs/${run.runId}/decide`, {
      agent: incident.path,
      action: 'approve',
      incident: 'i1',
    });
    expect([wrong.status, Object.keys(wrong.json() as object)]).toEqual([200, ['refused']]);
    const unknown = await post(server, `/api/runs/${run.runId}/decide`, {
      agent: incident.path,
      action: 'fly',
      incident: 'i1',
    });
    expect(unknown.status).toBe(400);
    const steered = await post(server, `/api/runs/${run.runId}/steer`, { agent: '', text: 'Be brief.' });
    expect(steered.json()).toMatchObject({ record: {} });
    isRefused = false;
    const decided = await post(server, `/api/runs/${run.runId}/decide`, {
      agent: incident.path,
      action: 'retry',
      incident: 'i1',
      note: 'Again.',
      by: 'somebody else',
    });
    expect(decided.json()).toMatchObject({ record: { action: 'retry', by: 'ada', note: 'Again.' } });

    await until(() => Promise.resolve(last('run')?.run.state === 'completed' || undefined));
    expect(last('incidents')?.incidents).toEqual([]);
    const { agents, run: row } = await read<Page.RunSnapshot>('');
    expect([...shown().values()]).toEqual(agents);
    expect(agents.map(({ state, headline }) => [state, headline !== ''])).toEqual(
      agents.map(() => ['completed', true]),
    );
    expect(agents).toHaveLength(4);
    expect(agents.map(({ batch: place }) => place?.index ?? null).sort()).toEqual([0, 1, 2, null]);
    expect(agents[1]!.batch).toMatchObject({ turn: 1, size: 3 });
    expect(row.figures).toEqual(agents[0]!.withDelegations);
    expect(row.figures!.turns).toBe(agents.reduce((sum, { own }) => sum + own.turns, 0));
  });

  test('has the same events as tail, each once', async () => {
    const told: unknown[] = [];
    const store = harness.store.forRun(run.runId);
    for await (const event of readEvents(harness.client, run.runId, undefined, { store })) told.push(event);
    const { events, before } = await read<Page.EventsView>('/events?limit=1000');
    expect(before).toBeNull();
    expect(events.map(({ json }) => json)).toEqual(told);
    expect(events.some(({ words }) => words.includes('operator: retry i1 (ada): Again.'))).toBe(true);
  });

  test('has conversations, with whole texts by their hash', async () => {
    const { entries, total } = await read<Page.EntriesPage>('/entries?agent=');
    expect(entries).toHaveLength(total);
    const followed = (): number => {
      const frames = stream.frames.flatMap((frame) => (frame.kind === 'entries' ? frame.entries : []));
      return new Set(frames.map(({ position }) => position)).size;
    };
    await until(() => Promise.resolve(followed() === total || undefined));
    const turns = entries.flatMap((entry) => (entry.kind === 'turn' ? [entry] : []));
    const answer = turns.at(-1)!.text[0]!;
    expect(answer.whole!.bytes).toBeGreaterThan(4_096);
    const whole = await ask(server, `/api/blob/${run.runId}/${answer.whole!.hash}`);
    expect(whole.text).toBe(`All done. ${longText}`);
    expect(createHash('sha256').update(whole.text).digest('hex')).toBe(answer.whole!.hash);
    const other = await ask(server, `/api/blob/another-run/${answer.whole!.hash}`);
    expect(other.status).toBe(404);
    const found = await ask(server, `/api/runs/${run.runId}/search?q=much%20to%20say`);
    const frames = found.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Page.SearchFrame);
    expect(frames.at(-1)).toEqual({ searched: 4, of: 4, done: true });
    expect(frames).toContainEqual({ hit: expect.objectContaining({ path: '', turn: 3 }) as object });
  });

  test('has the prompt in sections, the parent part marked, and its bytes', async () => {
    const child = [...shown().keys()][1]!;
    const above = await read<Page.PromptView>('/prompt?agent=');
    const below = await read<Page.PromptView>(`/prompt?agent=${child}`);
    for (const { hash, bytes, isIntact, sections } of [above, below]) {
      const text = sections.map((section) => section.text).join('');
      expect([isIntact, Buffer.byteLength(text)]).toEqual([true, bytes]);
      expect(createHash('sha256').update(text).digest('hex')).toBe(hash);
    }
    const [parent] = below.sections.filter((section) => section.parent !== undefined);
    expect(parent!.parent).toEqual({ path: '', bytes: above.bytes });
    expect(parent!.text).toBe(above.sections.map((section) => section.text).join(''));
    expect(below.sections.length).toBeGreaterThan(3);
  });

  test('has artifacts, files, budget and an explanation', async () => {
    const { artifacts } = await read<Page.ArtifactsView>('/artifacts');
    expect(artifacts).toMatchObject([{ name: 'PLAN.md', path: '', turn: 2, text: '# Plan' }]);
    expect(await read('/files?agent=')).toEqual({ files: [] });
    const budget = await read<Page.AgentBudgetView>('/budget?agent=');
    expect(budget.own.turns + budget.below.turns).toBe((await read<Page.RunSnapshot>('')).run.figures!.turns);
    expect(budget.window).toMatchObject({ size: 200_000 });
    expect(await read('/why?agent=')).toMatchObject({ verdict: 'completed' });
  });

  test('is refused without the key, and a run that does not exist is named', async () => {
    expect((await ask(server, `/api/runs/${run.runId}`, { key: null })).status).toBe(401);
    const missing = await ask(server, '/api/runs/nothing-here');
    expect([missing.status, missing.json()]).toEqual([
      404,
      { type: 'Client.NotFound', message: 'Run "nothing-here" does not exist.', remedy: 'List runs with: baton list' },
    ]);
    expect((await ask(server, '/api/runs/..%2f..%2fetc')).status).toBe(400);
  });

  test('answers the examples of its documentation', async () => {
    const { artifacts } = await read<Page.ArtifactsView>('/artifacts');
    const { hash, bytes } = artifacts[0]!;
    const values = { UI: server.origin, KEY: server.key, RUN: run.runId, HASH: hash, BYTES: String(bytes) };
    const docs = readFileSync(join(projectRoot, 'docs', 'ui.md'), 'utf8');
    const examples = [...docs.matchAll(/^curl (.*)$/gm)].map(([, line = '']) =>
      line.replace(/\$([A-Z]+)/g, (_, name: string) => values[name as keyof typeof values] ?? ''),
    );
    expect(examples).toHaveLength(6);
    for (const line of examples) {
      const headers = [...line.matchAll(/-H "([^:]+): ([^"]+)"/g)].map(([, name = '', value = '']) => [name, value]);
      const body = /-d '([^']*)'/.exec(line)?.[1];
      const path = /"(http[^"]+)"/.exec(line)?.[1]?.slice(server.origin.length) ?? '';
      const options = { key: null, headers: Object.fromEntries(headers) as Record<string, string> };
      const answer = await ask(server, path, body === undefined ? options : { ...options, method: 'POST', body });
      // The run has ended, so nobody is there to be steered.
      expect([path, answer.status]).toEqual([path, body === undefined ? 200 : 404]);
      expect(answer.text).not.toBe('');
    }
  });

  test('is in the list with its model, its figures, the step of its relay and the type of its failure', async () => {
    const { figures, model } = (await read<Page.RunSnapshot>('')).run;
    expect(await listedRow(harness, harness.store, run.workflowId)).toMatchObject({ figures, model, detail: '' });
    expect(await listedRow(harness, undefined, run.workflowId)).toMatchObject({ figures, model: null });

    const failed = await createBaton(harness.client, harness).startRun({ goal: impossible, onFailure: 'report' });
    const workspace = { root: await writeProject(join(harness.folder, 'project')) };
    const steps = [{ name: 'look', skill: 'researcher', input: { goal: { from: 'goal' } } }];
    const wishes = { goal: impossible, onFailure: 'hold', workspace } as const;
    const relay = await playRelay(harness, relayNamed('look-around', steps), wishes);
    const hasDetail = ({ detail }: RunRow): boolean => detail !== '';
    for (const store of [harness.store, undefined]) {
      const ended = { state: 'failed', detail: 'Model.Refused' };
      expect(await listedRow(harness, store, failed.workflowId, hasDetail)).toMatchObject(ended);
      const open = { endedAt: null, model: null, detail: 'step 1 of 1: look' };
      expect(await listedRow(harness, store, relay.workflowId, hasDetail)).toMatchObject(open);
    }
    await relay.terminate();
  });

  test('is shown from the store when the server has forgotten it', async () => {
    const before = await read<Page.RunSnapshot>('');
    const { namespace } = harness.client.options;
    for (const { path } of before.agents) {
      const workflowId = path === '' ? run.workflowId : `${run.workflowId}/${path}`;
      await harness.client.workflowService.deleteWorkflowExecution({ namespace, workflowExecution: { workflowId } });
    }
    await until(() =>
      harness.client.workflow
        .getHandle(run.workflowId)
        .describe()
        .then(
          () => undefined,
          () => true,
        ),
    );
    const other = await startUiOn(harnessSource(harness));
    try {
      const after = (await ask(other, `/api/runs/${run.runId}`)).json() as Page.RunSnapshot;
      expect(after.gaps[0]).toContain('The server no longer has this run’s history.');
      expect(after.run).toMatchObject({ state: 'completed', goal: 'Look around.', figures: before.run.figures });
      const facts = ({ path, headline, state, turn, own }: AgentRow): unknown => [path, headline, state, turn, own];
      const inOrder = (rows: readonly AgentRow[]): unknown[] =>
        [...rows].sort((a, b) => (a.path < b.path ? -1 : 1)).map(facts);
      expect(inOrder(after.agents)).toEqual(inOrder(before.agents));
      const entries = (await ask(other, `/api/runs/${run.runId}/entries?agent=`)).json() as Page.EntriesPage;
      expect(entries.total).toBeGreaterThan(3);
      expect((await ask(other, `/api/runs/${run.runId}/prompt?agent=`)).status).toBe(200);
      const list = (await ask(other, `/api/runs?q=${run.runId}`)).json() as Page.RunList;
      expect(list.runs).toMatchObject([{ runId: run.runId, state: 'completed' }]);
    } finally {
      await other.close();
    }
  });
});
