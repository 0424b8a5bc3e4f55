import { median } from '../../support/statistics';
import type { Play } from '../stage';
import { goalOf } from '../work';
import { type Figures, resultBytes } from './figures';

/** Number of turns up to a measured one that its figures are taken from. */
const window = 10;
const before = (turn: number): number => Math.max(turn - window, 0);

type Log = (line: string) => void;

/** Plays one long agent. Measures what is stored around these turns, and their time without that of the model. */
export async function playLoop(play: Play, at: readonly number[], log: Log): Promise<Figures> {
  const { model, contender, id } = play;
  const turns = Math.max(...at);
  const system = await play.start();
  const sizes = new Map<number, number>();
  await model.behave({ pauses: [...new Set(at.flatMap((turn) => [before(turn), turn]))] });
  model.onPause = async (turn) => {
    const parts = await system.call('stored', id);
    log(`${contender.name}, turn ${turn}: ${JSON.stringify(parts)} bytes are stored`);
    sizes.set(
      turn,
      Object.values(parts).reduce((sum, part) => sum + part, 0),
    );
  };
  const goal = goalOf({ turns, bytes: resultBytes, from: 0 });
  const reached = await system.call('run', id, goal).then(
    () => turns,
    (error: unknown) => endedByServer(play, String(error), log),
  );
  return {
    turns_reached: reached,
    ...figuresAt(
      play,
      sizes,
      at.filter((turn) => turn <= reached),
    ),
  };
}

function figuresAt({ model }: Play, sizes: ReadonlyMap<number, number>, at: readonly number[]): Figures {
  const size = (turn: number): number => {
    const found = sizes.get(turn);
    if (found === undefined) throw new Error(`it did not tell what it has stored in turn ${turn}`);
    return found;
  };
  const times = model.arrived.map((arrived, index) => arrived - (model.answered[index - 1] ?? Number.NaN));
  return Object.fromEntries(
    at.flatMap((turn): [string, number][] => [
      [`bytes_per_turn.${turn}`, (size(turn) - size(before(turn))) / (turn - before(turn))],
      [`stored.${turn}`, size(turn)],
      [`ms_per_turn.${turn}`, median(times.slice(before(turn) + 1, turn + 1))],
    ]),
  );
}

/** Returns the last turn that was complete when the server ended the run. */
function endedByServer({ contender, model }: Play, problem: string, log: Log): number {
  if (!/terminated|history size/i.test(problem)) throw new Error(problem);
  const reached = model.answered.length - 1;
  log(`${contender.name}: the server ended the run after ${reached} turns`);
  return reached;
}
