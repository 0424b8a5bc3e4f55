import type { RunTurnResult } from '../../../domain/agent';
import { createGate } from '../../../testing/scripted-model';
import { Attempts } from '../../support/activity-environment';
import { until } from '../../support/until';
import { CountingModel, type ScenarioName, TurnStage } from './turn-stage';

let stage: TurnStage;
beforeAll(async () => {
  stage = await TurnStage.open();
});
afterEach(async () => {
  stage.looking = () => Promise.resolve();
  wake.open();
  await Promise.allSettled(abandoned.splice(0));
  wake = createGate();
});
/** Attempts of workers that are dead for the rest of their test. */
const abandoned: Promise<unknown>[] = [];
let wake = createGate();

/** A turn, and the attempts at it. */
class TakenTurn {
  readonly model: CountingModel;
  attempts = new Attempts('runTurn');

  constructor(
    private readonly scenario: ScenarioName,
    readonly name: string,
  ) {
    this.model = new CountingModel(name, scenario);
  }

  /** Makes the next attempt, on a worker with these tools. */
  next(tools?: string[]): Promise<RunTurnResult> {
    const { runTurn } = stage.activities(stage.sound, this.model, stage.tools(tools));
    return this.attempts.next(runTurn, stage.input(this.scenario, this.name));
  }

  /** Takes the turn again, as the new execution does after a reset. */
  afterReset(): Promise<RunTurnResult> {
    this.attempts = new Attempts('runTurn');
    return this.next();
  }

  runs(tool: string): number {
    return stage.runs.get(`${this.name} ${tool}`) ?? 0;
  }
}

const whenever = (condition: () => boolean): Promise<true> => until(() => condition() || undefined);

describe('an attempt that stalls and wakes beside its successor', () => {
  test('in its call to the model has the result of its successor', async () => {
    const turn = new TakenTurn('one tool', 'stalls in the model');
    const gate = createGate();
    turn.model.before = () => gate.opened;
    const stalled = turn.next();
    await whenever(() => turn.model.paid === 1);
    turn.model.before = () => Promise.resolve();
    const succeeded = await turn.next();
    gate.open();
    expect(await stalled).toEqual(succeeded);
    // Each has paid for its own call, and run its own tools.
    expect([turn.model.paid, turn.runs('look')]).toEqual([2, 2]);
    expect(await turn.afterReset()).toEqual(succeeded);
    expect([turn.model.paid, turn.runs('look')]).toEqual([2, 2]);
  });

  test('in a tool has the results of its successor, although its own differ', async () => {
    const turn = new TakenTurn('one tool', 'stalls in a tool');
    const gate = createGate();
    stage.looking = async () => {
      await gate.opened;
      throw new Error('Too late.');
    };
    const stalled = turn.next();
    await whenever(() => turn.runs('look') === 1);
    stage.looking = () => Promise.resolve();
    const succeeded = await turn.next();
    gate.open();
    expect(await stalled).toEqual(succeeded);
    expect(succeeded).not.toHaveProperty('ran.0.isError');
    expect(turn.model.paid).toBe(1);
  });
});

describe('after a worker died in the tools of a turn', () => {
  /** Starts an attempt that gets as far as its quick tools, which never end. */
  const diesInTools = async (turn: TakenTurn, isThere: () => boolean | Promise<boolean>): Promise<void> => {
    const { opened } = wake;
    stage.looking = () => opened;
    abandoned.push(turn.next());
    await until(async () => ((await isThere()) ? true : undefined));
    stage.looking = () => Promise.resolve();
  };

  test('a tool that took long and has ended does not run again', async () => {
    const turn = new TakenTurn('five tools, one of them slow', 'dies beside a slow tool');
    const records: string[] = [];
    await diesInTools(turn, async () => {
      records.push(...(await stage.journaled(turn.name)));
      return records.includes('tool 2');
    });
    const taken = await turn.next();
    expect(taken).toMatchObject({ ran: [{}, {}, { name: 'slow' }, {}, {}] });
    expect([turn.model.paid, turn.runs('slow'), turn.runs('look')]).toEqual([1, 1, 8]);
  });

  test('twice, its calls are left to the workflow, also after a reset', async () => {
    const turn = new TakenTurn('one tool', 'dies twice');
    for (const deaths of [1, 2]) await diesInTools(turn, () => turn.runs('look') === deaths);
    const taken = await turn.next();
    expect(taken).toMatchObject({ calls: [{ name: 'look', why: 'died' }] });
    expect(await turn.afterReset()).toEqual(taken);
    expect([turn.model.paid, turn.runs('look')]).toEqual([1, 2]);
  });
});

describe('a turn on several workers', () => {
  test('has the recorded results, also where a tool is missing or workers have died', async () => {
    const turn = new TakenTurn('one tool', 'ran elsewhere');
    const taken = await turn.next();
    expect(await turn.next([])).toEqual(taken);
    expect(await turn.next()).toEqual(taken);
    expect([turn.model.paid, turn.runs('look')]).toEqual([1, 1]);
  });

  test('leaves calls to the workflow for which the first worker has no tool, also after a reset', async () => {
    const turn = new TakenTurn('one tool', 'lacks a tool');
    const taken = await turn.next([]);
    expect(taken).toMatchObject({ calls: [{ name: 'look', why: 'worker' }] });
    expect(await turn.afterReset()).toEqual(taken);
    expect([turn.model.paid, turn.runs('look')]).toEqual([1, 0]);
  });
});
