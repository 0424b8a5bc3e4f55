import { seconds } from '../../support/statistics';
import type { Play } from '../stage';
import type { Figures } from './figures';

/** Children that are played first, and not measured. */
const warmUp = 10;

/** Plays the children of one parent: each asks the model, calls the tool, and asks the model again. */
export async function playChildren(play: Play, count: number): Promise<Figures> {
  const { model, id } = play;
  const system = await play.start();
  await model.behave({ pauses: [] });
  await system.call('delegate', `${id}-first`, Math.min(warmUp, count));
  await model.behave({ pauses: [] });
  const took = await seconds(() => system.call('delegate', id, count));
  if (model.arrived.length < 2 * count) throw new Error(`only ${model.arrived.length} requests to the model`);
  return { children: count / took };
}
