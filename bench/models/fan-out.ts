import { say, type Script, useTool, useTools } from '../../testing/scripted-model';
import { readFanOutGoal } from '../workloads';

/**
 * The parent dispatches one wave per turn; a child calls one tool and answers. Used both with Baton and with
 * hand-written workflows.
 */
export const fanOut: Script = (call) => {
  const isChild = call.systemText.includes('<!-- PARENT PROMPT START -->');
  if (isChild) return call.turn === 0 ? useTool('add_note', { text: 'looked' }) : say('Done.');
  const { waves, children } = readFanOutGoal(call.systemText);
  if (call.turn >= waves) return say('All done.');
  const input = { mode: 'ad_hoc', prompt_ns: 'baton', prompt_key: 'subagent' };
  return useTools(
    Array.from({ length: children }, (_, task) => ({
      name: 'dispatch_subagent',
      input: { ...input, instructions: `Carry out task ${call.turn}-${task}.` },
    })),
  );
};
