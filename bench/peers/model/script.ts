import { say, type Script, type ScriptedReply, useTool, useTools } from '../../../testing/scripted-model';
import { delegatedGoals, type NoiseInput, noiseTool, readGoal } from '../work';

/** The turn of an agent that makes noise: one after that of its last tool result, however its conversation is kept. */
function turnOf({ toolExchanges }: Pick<Parameters<Script>[0], 'toolExchanges'>, from: number): number {
  const last = toolExchanges.filter(({ name }) => name === noiseTool.name).at(-1);
  return last === undefined ? 0 : (last.input as NoiseInput).seed - from + 1;
}

/** Plays the model of every system. `onTurn` may hold the answer back. */
export function peerScript(onTurn: (turn: number) => Promise<void>): Script {
  return async (call) => {
    const text = `${call.systemText}\n${call.firstUserText}`;
    const tools = (call.request.tools ?? []).map((tool) => ('name' in tool ? tool.name : ''));
    const work = readGoal(text);
    if (work === undefined) return delegate(delegatedGoals(text, call.turn), tools);
    // deepagents asks for a summary when a conversation gets long, and offers no tools then.
    if (!tools.includes(noiseTool.name)) return say('Noise was made.');
    const turn = turnOf(call, work.from);
    await onTurn(turn);
    if (turn >= work.turns) return say('Done.');
    const input: NoiseInput = { seed: work.from + turn, bytes: work.bytes, waits: turn === work.waitsIn };
    return useTool(noiseTool.name, { ...input });
  };
}

function delegate(goals: readonly string[], tools: readonly string[]): ScriptedReply {
  if (goals.length === 0) return say('All done.');
  if (tools.includes('task')) {
    const input = { subagent_type: 'general-purpose' };
    return useTools(goals.map((description) => ({ name: 'task', input: { ...input, description } })));
  }
  const input = { mode: 'ad_hoc', prompt_ns: 'baton', prompt_key: 'subagent' };
  return useTools(goals.map((instructions) => ({ name: 'dispatch_subagent', input: { ...input, instructions } })));
}
