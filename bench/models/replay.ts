import { say, type Script, useTool } from '../../testing/scripted-model';
import { readReplayGoal, turnsPerNote } from '../workloads';

/** Makes one tool call in every turn, and a note now and then. */
export const replay: Script = ({ turn, systemText }) => {
  if (turn >= readReplayGoal(systemText)) return say('Done.');
  if (turn % turnsPerNote === 0) return useTool('add_note', { text: `Reached turn ${turn}.` });
  return useTool('make_noise', { seed: turn, bytes: 20 });
};
