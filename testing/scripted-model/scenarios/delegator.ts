import { type AnswerOptions, say, type ScriptedReply, useTool } from '../reply/reply';
import type { Script, ScriptedCall } from '../script';
import { explorer } from './explorer';

/** Marker in every prompt that was composed for a subagent, and in no other. */
const embedded = '<!-- PARENT PROMPT START -->';
const report = 'REPORT.md';

/**
 * Plays a parent that plans, dispatches the first step of the plan to a subagent, reads the artifact that the subagent
 * wrote, and answers. The subagent explores the project, writes its report and a notes file.
 */
export function delegator(pace: AnswerOptions = {}): Script {
  const explore = explorer({ files: 3, ...pace });
  return (call) => (call.systemText.includes(embedded) ? asSubagent(call, explore, pace) : asParent(call, pace));
}

function asParent(call: ScriptedCall, pace: AnswerOptions): ScriptedReply {
  const resultOf = lookUp(call);
  if (resultOf('add_plan_steps') === undefined) {
    const steps = ['Read the project and report on it', 'Sum the report up'];
    return useTool('add_plan_steps', { steps }, { ...pace, text: 'I plan first.' });
  }
  const subagentResult = resultOf('dispatch_subagent');
  if (subagentResult === undefined) {
    return useTool('dispatch_subagent', theStep, { ...pace, text: 'The first step is work for a subagent.' });
  }
  const read = resultOf('read_artifact');
  if (read === undefined) {
    return useTool('read_artifact', { name: report }, { ...pace, text: `The subagent left ${report}.` });
  }
  return say(`A subagent read the project for me. It says: ${subagentResult.split('\n', 1)[0] ?? ''}\n\n${read}`, pace);
}

const theStep = {
  mode: 'plan_step',
  plan_step_id: 'S001',
  prompt_ns: 'baton',
  prompt_key: 'subagent',
  instructions: `Read the project and write ${report}: what it is about, and what you read. Add a file with notes.`,
  expected_artifacts: [report],
};

async function asSubagent(call: ScriptedCall, explore: Script, pace: AnswerOptions): Promise<ScriptedReply> {
  const looked = await explore(call);
  if (looked.kind !== 'answer' || looked.tools.length > 0) return looked;
  const resultOf = lookUp(call);
  const name = /The artifact `([^`]+)`/.exec(call.systemText)?.[1] ?? report;
  if (resultOf('write_artifact') === undefined) {
    return useTool('write_artifact', { name, content: looked.text }, { ...pace, text: 'I write down what I found.' });
  }
  if (resultOf('write_file') === undefined) {
    return useTool('write_file', { path: 'NOTES.md', content: `# Notes\n\n${looked.text}\n` }, pace);
  }
  return say(`${looked.text.split('\n', 1)[0] ?? ''} The details are in ${name}.`, pace);
}

/** Returns a function that looks up the result of a tool's last call; undefined before the first call. */
function lookUp({ toolExchanges }: ScriptedCall): (tool: string) => string | undefined {
  return (tool) => toolExchanges.filter(({ name }) => name === tool).at(-1)?.result?.text;
}
