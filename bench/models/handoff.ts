import { say, useTools, type ScriptedCall, type ScriptedReply } from '../../testing/scripted-model';
import { decision, turnsOfWork, turnsPerDecision } from '../workloads';
import { serveModel } from '../support/serve-model';

/**
 * Returns the number of turns done, derived only from this conversation: the handoff that it started with, and its own
 * turns.
 */
function turnsDone({ firstUserText, turn }: ScriptedCall): number {
  return Number(/- Turns done: (\d+)/.exec(firstUserText)?.[1] ?? 0) + turn;
}

function work(done: number): ScriptedReply {
  if (done >= turnsOfWork) return say(`Done after ${done} turns.`);
  const note = { name: 'add_note', input: { text: decision(done), kind: 'decision' } };
  return useTools([{ name: 'read_report', input: { turn: done } }, ...(done % turnsPerDecision === 0 ? [note] : [])]);
}

function handOff(call: ScriptedCall): ScriptedReply {
  const decisions = [...call.lastUserText.matchAll(/^- (Decided in turn .*)$/gm)].map(([, text]) => text);
  return say(
    JSON.stringify({
      goal: 'Read all the reports.',
      done: [`Turns done: ${turnsDone(call)}`],
      decisions,
      open_questions: [],
      next_steps: [`Read report ${turnsDone(call)}, and so on until ${turnsOfWork - 1}.`],
      artifacts: [],
    }),
  );
}

serveModel((call) => (call.request.tool_choice?.type === 'none' ? handOff(call) : work(turnsDone(call))));
