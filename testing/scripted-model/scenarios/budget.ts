import { say, type ScriptedReply, useTool } from '../reply';
import { delegationDepth, type Script, type ScriptedCall } from '../script';

/**
 * Has several subagents study the project, each of which would take a hundred turns, and sums up which of them were
 * stopped. Start the run with a budget, such as `--budget-turns 12`.
 */
export function spendthrift(subagents = 3): Script {
  return (call) => (delegationDepth(call) > 0 ? asStudent(call) : asEmployer(call, subagents));
}

function asEmployer({ toolExchanges }: ScriptedCall, subagents: number): ScriptedReply {
  const [dispatched] = toolExchanges;
  if (dispatched !== undefined)
    return say(`My subagents had a share of my budget each.\n\n${dispatched.result?.text ?? ''}`);
  const delegations = Array.from({ length: subagents }, (_, at) => ({
    reason: `Study chapter ${at + 1} of the project.`,
    expected_result: 'What it is about.',
    may_delegate_further: 'no',
    recap_lines: [`Study chapter ${at + 1}`],
  }));
  return useTool('dispatch_subagents', { delegations }, { text: 'There is a lot to study.' });
}

function asStudent({ turn }: ScriptedCall): ScriptedReply {
  if (turn >= 100) return say('Studied.');
  return useTool('add_note', { text: `Page ${turn + 1} is read.`, kind: 'finding' });
}
