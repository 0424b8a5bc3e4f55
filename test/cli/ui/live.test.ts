import { applyChange } from '../../../client/view/changes';
import type { AgentRow } from '../../../client/view/run-view';
import type { UiServer } from '../../../cli/ui/http/ui-server';
import type { Frame, RunSnapshot } from '../../../page/protocol';
import type { GeneratedSource } from '../../support/ui/generated-source';
import { ask, openStream, type OpenStream } from '../../support/ui/page-client';
import { generatedSource, startUiOn } from '../../support/ui/start-ui';
import { until } from '../../support/until';

const runId = 'r-generated';
let source: GeneratedSource;
let server: UiServer;
beforeEach(async () => {
  source = generatedSource({ agents: 50, running: 40 });
  server = await startUiOn(source, { lingerMs: 200 });
});
afterEach(() => server.close());

async function snapshot(): Promise<RunSnapshot> {
  return (await ask(server, `/api/runs/${runId}`)).json() as RunSnapshot;
}

async function epoch(): Promise<string> {
  return ((await ask(server, '/api/hello')).json() as { epoch: string }).epoch;
}

/** What a page has after it applied these frames to a snapshot. */
function shown({ agents }: RunSnapshot, frames: readonly Frame[]): AgentRow[] {
  const rows = new Map(agents.map((row) => [row.path, row]));
  for (const frame of frames) {
    if (frame.kind !== 'rows') continue;
    for (const change of frame.rows) rows.set(change.path, applyChange(rows.get(change.path), change));
  }
  return [...rows.values()];
}

function seqOf({ frames }: OpenStream): number {
  return Math.max(0, ...frames.flatMap((frame) => ('seq' in frame ? frame.seq : [])));
}

function paths(): string[] {
  return source.view(runId).agents.map(({ path }) => path);
}

test('a page that loads, follows and reconnects has every change, and none twice', async () => {
  const first = await snapshot();
  const id = await epoch();
  const before = await openStream(server, `run=${runId}&after=${id}.${first.seq}`);
  source.addTurns(runId, paths()[3]!);
  await until(() => Promise.resolve(before.frames.some(({ kind }) => kind === 'rows') || undefined));
  source.addTurns(runId, paths()[4]!);
  await until(() => Promise.resolve(seqOf(before) >= first.seq + 2 || undefined));
  before.close();
  for (const path of paths().slice(5, 15)) source.complete(runId, [path]);
  source.raise(runId, { path: paths()[20]! });
  const after = await openStream(server, `run=${runId}&after=${id}.${seqOf(before)}`);
  await until(() => Promise.resolve(after.frames.some(({ kind }) => kind === 'incidents') || undefined));
  expect(shown(first, [...before.frames, ...after.frames])).toEqual(source.view(runId).agents);
  expect(after.frames.map(({ kind }) => kind)).not.toContain('reset');
  // The last frame of an update has its number; a page that has it is not sent the update again.
  const again = await openStream(server, `run=${runId}&after=${id}.${seqOf(after)}`);
  source.complete(runId, [paths()[30]!]);
  await until(() => Promise.resolve(again.frames.some(({ kind }) => kind === 'rows') || undefined));
  const rows = again.frames.flatMap((frame) => (frame.kind === 'rows' ? frame.rows : []));
  expect(rows.map(({ path }) => path)).toEqual([paths()[30]]);
  after.close();
  again.close();
});

test('a page of another process, or of a time that is forgotten, is told to load again', async () => {
  const { seq } = await snapshot();
  const id = await epoch();
  for (const known of [`other.${seq}`, `${id}.999999`, `${id}.x`, 'nonsense']) {
    const stream = await openStream(server, `run=${runId}&after=${known}`);
    await until(() => Promise.resolve(stream.frames.length >= 2 || undefined));
    expect(stream.frames.map(({ kind }) => kind)).toEqual(['hello', 'reset']);
    stream.close();
  }
});

test('a run is followed once for all pages, and no longer when they have left', async () => {
  const streams = await Promise.all(Array.from({ length: 8 }, () => openStream(server, `run=${runId}`)));
  expect([source.followed, server.followedRuns]).toEqual([1, 1]);
  for (const stream of streams) stream.close();
  await until(() => Promise.resolve(server.followedRuns === 0 || undefined));
  const { seq } = await snapshot();
  expect(source.followed).toBe(2);
  // A number from before must not be taken for one of now.
  expect(seq).toBeGreaterThan(0);
});

test('changes of 100 ms are sent together', async () => {
  const stream = await openStream(server, `run=${runId}`);
  for (let round = 0; round < 200; round += 1) source.addTurns(runId, paths()[3]!);
  await until(() => Promise.resolve(stream.frames.some(({ kind }) => kind === 'rows') || undefined));
  const rows = stream.frames.flatMap((frame) => (frame.kind === 'rows' ? frame.rows : []));
  expect(rows).toHaveLength(1);
  expect(rows[0]!.turn).toBe(source.view(runId).agents[3]!.turn);
  stream.close();
});

test('the agent in focus sends its newest entries first, then new ones, and what it says', async () => {
  const path = paths()[3]!;
  const stream = await openStream(server, `run=${runId}&focus=${path}`);
  const entries = (): readonly (Frame & { kind: 'entries' })[] =>
    stream.frames.flatMap((frame) => (frame.kind === 'entries' ? [frame] : []));
  await until(() => Promise.resolve(entries().length === 1 || undefined));
  const { total } = entries()[0]!;
  source.addTurns(runId, path, 2);
  await until(() => Promise.resolve(entries().length === 2 || undefined));
  expect(entries()[1]).toMatchObject({ agent: path, total: total + 2 });
  // The turn that was the last one has changed as well.
  expect(entries()[1]!.entries.map(({ position }) => position)).toEqual([total - 1, total, total + 1]);
  source.addTurns(runId, paths()[4]!);
  const reply = { turn: 9, attempt: 1, startedAt: '2026-11-16T14:00:00.000Z', thinking: '', text: 'I w', calling: [] };
  source.spoken.set(`${runId}/${path}`, reply);
  await until(() => Promise.resolve(stream.frames.some(({ kind }) => kind === 'speaking') || undefined));
  expect(stream.frames.filter(({ kind }) => kind === 'speaking')).toEqual([{ kind: 'speaking', agent: path, reply }]);
  expect(entries()).toHaveLength(2);
  stream.close();
});

test('a page that does not read costs little memory, and is right afterwards', async () => {
  const large = generatedSource({ agents: 2_000, running: 1_900, turns: 10_000 });
  const slow = await startUiOn(large);
  try {
    const first = (await ask(slow, `/api/runs/${runId}`)).json() as RunSnapshot;
    const id = ((await ask(slow, '/api/hello')).json() as { epoch: string }).epoch;
    const stream = await openStream(slow, `run=${runId}&after=${id}.${first.seq}`);
    stream.pause();
    const long = 'x'.repeat(1_000);
    const all = large.view(runId).agents.map(({ path }) => path);
    const change = (round: number): void => {
      const rows = all.map((path) => ({ path, turn: round, detail: `${round} ${long}` }));
      large.push(runId, { rows });
    };
    change(1);
    await new Promise((resolve) => setTimeout(resolve, 150));
    global.gc?.();
    const before = process.memoryUsage().external + process.memoryUsage().arrayBuffers;
    for (let round = 2; round <= 10; round += 1) {
      change(round);
      await new Promise((resolve) => setTimeout(resolve, 110));
    }
    const after = process.memoryUsage().external + process.memoryUsage().arrayBuffers;
    expect(after - before).toBeLessThan(20 * 1024 * 1024);
    stream.resume();
    const isCurrent = (): boolean => {
      const last = stream.frames.flatMap((frame) => (frame.kind === 'rows' ? frame.rows : [])).at(-1);
      return last?.turn === 10;
    };
    await until(() => Promise.resolve(isCurrent() || undefined));
    // One by one: the difference of all would take minutes to print.
    const wanted = large.view(runId).agents;
    expect(
      shown(first, stream.frames).findIndex((row, index) => JSON.stringify(row) !== JSON.stringify(wanted[index])),
    ).toBe(-1);
    stream.close();
  } finally {
    await slow.close();
  }
});

test('2,000 agents and 10,000 turns are one compressed answer, and are searched to the end', async () => {
  const large = generatedSource({ agents: 2_000, batch: 1_000, turns: 10_000, failures: 36, needsYou: 2 });
  const other = await startUiOn(large);
  try {
    const { headers } = await ask(other, `/api/runs/${runId}`, { headers: { 'accept-encoding': 'gzip' } });
    expect(headers['content-encoding']).toBe('gzip');
    const whole = await ask(other, `/api/runs/${runId}`);
    expect((whole.json() as RunSnapshot).agents).toHaveLength(2_000);
    const found = await ask(other, `/api/runs/${runId}/search?q=Read%20package%20871`);
    const frames = found.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(frames.at(-1)).toEqual({ searched: 2_000, of: 2_000, done: true });
    expect(frames).toContainEqual(expect.objectContaining({ hit: expect.objectContaining({ turn: 1 }) as object }));
  } finally {
    await other.close();
  }
});
