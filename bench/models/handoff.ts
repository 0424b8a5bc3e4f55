import { say, type Script, type ScriptedCall, type ScriptedReply, useTools } from '../../testing/scripted-model';
import { decision, handoffGoal, readHandoffGoal, turnsPerDecision } from '../workloads';

/**
 * Returns the number of turns done, derived only from this conversation: the handoff that it started with, and its own
 * turns.
 */
function turnsDone({ firstUserText, turn }: ScriptedCall): number {
  return Number(/- Turns done: (\d+)/.exec(firstUserText)?.[1] ?? 0) + turn;
}

function work(done: number, turns: number): ScriptedReply {
  if (done >= turns) return say(`Done after ${done} turns.`);
  const note = { name: 'add_note', input: { text: decision(done), kind: 'decision' } };
  return useTools([{ name: 'read_report', input: { turn: done } }, ...(done % turnsPerDecision === 0 ? [note] : [])]);
}

function handOff(call: ScriptedCall, turns: number): ScriptedReply {
  const decisions = [...call.lastUserText.matchAll(/^- (Decided in turn .*)$/gm)].map(([, text]) => text);
  return say(
    JSON.stringify({
      goal: handoffGoal(turns),
      done: [`Turns done: ${turnsDone(call)}`],
      decisions,
      open_questions: [],
      next_steps: [`Read report ${turnsDone(call)}, and so on until ${turns - 1}.`],
      artifacts: [],
    }),
  );
}

/** Reads one report per turn, and carries all decisions through every handoff. */
export const handoff: Script = (call) => {
  const turns = readHandoffGoal(call.systemText);
  return call.request.tool_choice?.type === 'none' ? handOff(call, turns) : work(turnsDone(call), turns);
};
