import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { peerScript } from '../../bench/peers/model/script';
import { writePeersPage } from '../../bench/peers/page';
import { rowsOf } from '../../bench/peers/rows';
import {
  delegationGoal,
  goalOf,
  isToolWaiting,
  makeNoise,
  noiseTool,
  readGoal,
  toolRuns,
} from '../../bench/peers/work';
import type { ScriptedCall } from '../../testing/scripted-model';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'baton-peers-test-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('rows beside other systems', () => {
  const own = { turns_reached: 200, 'ms_per_turn.200': 20, 'killed_in_tool.calls_again': 0 };

  test('compare Baton with each of them, and leave out what one did not reach', () => {
    const other = { turns_reached: 138, 'killed_in_tool.calls_again': 0 };
    const rows = rowsOf(new Map([['baton', [own, own]], ['other', [other, other]]])); // prettier-ignore
    expect(rows).toMatchObject([
      { name: 'peer.other.turns_reached', value: 200, baseline: 138, unit: 'turns', wants: 'more' },
      { name: 'peer.other.killed_in_tool.calls_again', value: 0, baseline: 0, ratio: null, low: 0, unit: 'calls' },
    ]);
  });

  test('are of Baton alone where no other one is installed', () => {
    expect(rowsOf(new Map([['baton', [own]]]))[1]).toMatchObject({
      name: 'peer.baton.ms_per_turn.200',
      value: 20,
      baseline: null,
      unit: 'ms/turn',
      wants: 'less',
    });
  });

  test('fill the tables of their page, where systems that were not measured keep their figures', async () => {
    const page = join(folder, 'page.md');
    const frame = 'before\n<!-- figures: npm run bench -- peer --markdown -->\n<!-- end of figures -->\nafter\n';
    await writeFile(page, frame);
    const measuredWith = (name: string, time: number) =>
      rowsOf(new Map([['baton', [own]], [name, [{ 'ms_per_turn.200': time }]]])); // prettier-ignore
    await writePeersPage(measuredWith('dbos', 5), page);
    await writePeersPage(measuredWith('restate', 3), page);
    const text = await readFile(page, 'utf8');
    expect(text).toMatch(/^before\n[^]*\nafter\n$/);
    const times = text.split('### Time without the model')[1]?.split('###')[0] ?? '';
    const lines = times.split('\n').flatMap((line) => (line.startsWith('| `') ? [line.split('|').map((cell) => cell.trim())] : [])); // prettier-ignore
    expect(lines.map((cells) => [cells[1], cells[5]])).toEqual([
      ['`baton`', '20'],
      ['`dbos`', '5'],
      ['`restate`', '3'],
    ]);
  });
});

describe('the model of all systems', () => {
  const played: number[] = [];
  const script = peerScript((turn) => {
    played.push(turn);
    return Promise.resolve();
  });
  const call = (over: Partial<ScriptedCall>): ScriptedCall =>
    ({
      systemText: '',
      firstUserText: 'Begin.',
      turn: 0,
      toolExchanges: [],
      request: { tools: [{ name: noiseTool.name }] },
      ...over,
    }) as ScriptedCall;
  const work = { turns: 3, bytes: 10, from: 70, waitsIn: 1 };

  test('reads the goal that agents are told', () => {
    expect(readGoal(`You are an agent. ${goalOf(work)}`)).toEqual(work);
    expect(readGoal(delegationGoal(100))).toBeUndefined();
  });

  test('knows its turn from the last tool call, because a system may have summarised those before', async () => {
    const exchange = { id: '1', name: noiseTool.name, input: { seed: 70, bytes: 10 }, result: undefined };
    const reply = await script(call({ systemText: goalOf(work), toolExchanges: [exchange], turn: 9 }));
    expect(reply).toMatchObject({ tools: [{ name: noiseTool.name, input: { seed: 71, bytes: 10, waits: true } }] });
    expect(played.at(-1)).toBe(1);
  });

  test('delegates to all children, in several replies, with the tool that it is offered', async () => {
    const asked = async (turn: number, name: string): Promise<unknown[]> => {
      const tools = [{ name }] as unknown as NonNullable<ScriptedCall['request']['tools']>;
      const request = { ...call({}).request, tools };
      const reply = await script(call({ systemText: delegationGoal(70), turn, request }));
      return reply.kind === 'answer' ? [...reply.tools] : [];
    };
    expect(await asked(0, 'task')).toHaveLength(50);
    const rest = await asked(1, 'dispatch_subagent');
    expect(rest).toHaveLength(20);
    expect(JSON.stringify(rest)).toContain('Make noise in 1 turns');
    expect(await asked(2, 'task')).toEqual([]);
  });
});

describe('the tool of all systems', () => {
  test('counts its runs, and waits only the first time', async () => {
    const input = { seed: 1, bytes: 20, waits: true };
    void makeNoise(input, folder);
    expect(isToolWaiting(folder)).toBe(true);
    expect(await makeNoise(input, folder)).toHaveLength(20);
    expect(toolRuns(folder)).toBe(2);
  });
});
