import { areTurns, isUnsavedAnswer, type RunTurnResult } from '../../../domain/agent';
import type { Fault } from '../../store/support/failing-files';
import { Attempts } from '../../support/activity-environment';
import { CountingModel, type ScenarioName, scenarios, shapeOf, TurnStage } from './turn-stage';

let stage: TurnStage;

interface Case {
  readonly scenario: ScenarioName;
  /** Identifies the turn. */
  readonly name: string;
  readonly fault?: Fault | undefined;
  /** Whether the worker dies, so that its last heartbeats are lost. */
  readonly dies?: boolean;
  /** What a power cut does to files that are not synced, after the first attempt. */
  readonly powerCut?: 'lost' | 'torn';
}

interface Played {
  readonly turn: RunTurnResult;
  /** Whether the first attempt succeeded. */
  readonly hasReturned: boolean;
  /** Calls to the file system in the first attempt. */
  readonly calls: number;
  /** Requests that were paid for by the first attempt, and by the second one. */
  readonly paid: readonly [number, number];
  /** Records in the journal when the first attempt had ended. */
  readonly records: readonly string[];
}

/** Takes a turn whose first attempt meets the fault. The second one is made by another worker on a sound disk. */
async function play({ scenario, name, fault, powerCut, dies = powerCut !== undefined }: Case): Promise<Played> {
  const attempts = new Attempts('runTurn');
  const input = stage.input(scenario, name);
  const { disk } = stage;
  const first = new CountingModel(name, scenario);
  await stage.restart();
  disk.count = 0;
  disk.fault = fault;
  const returned = await attempts.next(stage.activities(stage.unsound, first).runTurn, input).catch(() => undefined);
  // The workflow gives an answer that could not be stored to the next activity.
  const left = !dies && returned !== undefined && isUnsavedAnswer(returned) ? returned : {};
  const hasReturned = returned !== undefined && areTurns(returned);
  disk.fault = undefined;
  if (powerCut !== undefined) await stage.power.cutPower(powerCut);
  const calls = disk.count;
  // After a power cut some can't be read.
  const records = powerCut === undefined ? await stage.journaled(name) : [];
  if (dies) attempts.forgetHeartbeats();
  const answers = dies ? records.filter((kind) => kind === 'answer').length : first.paid;
  const second = new CountingModel(name, scenario, answers);
  const turn = await attempts.next(stage.activities(stage.sound, second).runTurn, { ...input, ...left });
  return { turn, hasReturned, calls, paid: [first.paid, second.paid], records };
}

/** Expects that an attempt finds everything whose predecessor's completion got lost on the way to the server. */
async function expectRepeated(scenario: ScenarioName, name: string, turn: Played['turn']): Promise<void> {
  const runs = new Map(stage.runs);
  const model = new CountingModel(name, scenario);
  const { runTurn } = stage.activities(stage.sound, model);
  expect(await new Attempts('runTurn').next(runTurn, stage.input(scenario, name))).toEqual(turn);
  expect(model.paid).toBe(0);
  expect(stage.runs).toEqual(runs);
}

/** Plays the cases in which the first attempt fails, until there are no more calls that could fail. */
async function atEveryCall(
  scenario: ScenarioName,
  { dies, ...fault }: Omit<Fault, 'at'> & { readonly dies: boolean },
  check: (played: Played, runs: (tool: string) => number) => void,
): Promise<void> {
  const group = `${scenario} ${dies ? 'died' : 'failed'} ${fault.calls}`;
  const undisturbed = await play({ scenario, name: group });
  expect(undisturbed.paid).toEqual([scenarios[scenario]('').length, 0]);
  expect(JSON.stringify(shapeOf(undisturbed.turn)).includes('"hasFolded":true')).toBe(scenario === 'changes to fold');
  // Every call when the worker dies; otherwise neighbours differ little.
  for (let at = 0; at < undisturbed.calls; at += dies ? 1 : 3) {
    const name = `${group} ${at}`;
    const played = await play({ scenario, name, fault: { ...fault, at }, dies });
    const runs = new Map(stage.runs);
    expect(shapeOf(played.turn)).toEqual(shapeOf(undisturbed.turn));
    await expectRepeated(scenario, name, played.turn);
    check(played, (tool) => runs.get(`${name} ${tool}`) ?? 0);
  }
  // As many calls as a turn with its answer and its link makes.
  expect(undisturbed.calls).toBeGreaterThan(15);
}

const names = Object.keys(scenarios) as ScenarioName[];

/** Numbers of calls of a tool in the turns of a scenario. Of the answers to a turn, the last one counts. */
function requestedByTurn(scenario: ScenarioName, tool: string): number[] {
  const answers = scenarios[scenario]('');
  const replies = scenario === 'three more in the same activity' ? answers : answers.slice(-1);
  return replies.map(
    ({ content }) => content.filter((block) => block.type === 'toolCall' && block.name === tool).length,
  );
}

function requestedIn(scenario: ScenarioName, tool: string): number {
  return requestedByTurn(scenario, tool).reduce((sum, count) => sum + count, 0);
}

describe.each(names)('a turn with %s', (scenario) => {
  beforeAll(async () => {
    stage = await TurnStage.open();
  });
  const answers = scenarios[scenario]('');
  const requested = (tool: string): number => requestedIn(scenario, tool);

  test('survives a worker that dies before any call to the store', async () => {
    const lost = new Set<number>();
    await atEveryCall(scenario, { calls: 'from', code: 'EIO', dies: true }, (played, runs) => {
      const { paid, records } = played;
      const journaled = records.filter((kind) => kind === 'answer').length;
      // Paid again: only an answer that was not in the journal.
      expect(paid[1]).toBe(answers.length - journaled);
      lost.add(paid[0] - journaled);
      // Run again: nothing if the turn is recorded, otherwise what has no record of its own.
      const recorded = records.filter((kind) => kind === 'turn').length;
      const again = requestedByTurn(scenario, 'look')[recorded] ?? 0;
      expect(runs('look')).toBeLessThanOrEqual(requested('look') + again);
      expect(runs('slow')).toBeLessThanOrEqual(records.includes('tool 2') ? requested('slow') : 2 * requested('slow'));
      expect(runs('buy')).toBe(0);
    });
    expect(Math.max(...lost)).toBeLessThanOrEqual(1);
  });

  test.each<[string, Omit<Fault, 'at'>]>([
    ['once', { calls: 'once', code: 'ENOSPC' }],
    ['from then on', { calls: 'from', code: 'EIO', tookEffect: true }],
  ])('is paid for once when the store fails %s, at any call', async (_, fault) => {
    await atEveryCall(scenario, { ...fault, dies: false }, ({ paid: [first, second] }) => {
      expect(first + second).toBe(answers.length);
    });
  });
});

const withOneAnswer = names.filter((scenario) => scenarios[scenario]('').length === 1);

describe.each(withOneAnswer)('a power cut in a turn with %s', (scenario) => {
  beforeAll(async () => {
    stage = await TurnStage.open(true);
  });

  test.each(['lost', 'torn'] as const)('loses the call in flight at most (files are %s)', async (powerCut) => {
    const { calls } = await play({ scenario, name: `${scenario} before ${powerCut}` });
    let returned = 0;
    // Every fourth point, because the others differ little; then some after the turn has returned.
    for (let at = 0; at < calls + 16; at += 4) {
      const name = `${scenario} ${powerCut} ${at}`;
      const fault = { calls: 'from', code: 'EIO', at } as const;
      const { turn, hasReturned, paid } = await play({ scenario, name, fault, powerCut });
      const runs = stage.runs.get(`${name} look`) ?? 0;
      expect(paid[1]).toBeLessThanOrEqual(hasReturned ? 0 : 1);
      expect(runs).toBeLessThanOrEqual((hasReturned ? 1 : 2) * requestedIn(scenario, 'look'));
      if (hasReturned) returned += 1;
      await expectRepeated(scenario, name, turn);
    }
    expect(returned).toBeGreaterThan(0);
  });
});
