import { say, type Script, useTool } from '../../testing/scripted-model';
import { readNoiseGoal } from '../workloads';

/** Makes one tool call in every turn, and then answers. Used both with Baton and with hand-written workflows. */
export const noise: Script = (call) => {
  // Hand-written workflows tell the model what to do in the first message.
  const { turns, bytes } = readNoiseGoal(call.systemText + call.firstUserText);
  return call.turn < turns ? useTool('make_noise', { seed: call.turn, bytes }) : say('Done.');
};
