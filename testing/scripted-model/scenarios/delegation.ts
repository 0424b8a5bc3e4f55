import { type AnswerOptions, fail, refuse, say, type ScriptedReply, useTool } from '../reply';
import { delegationDepth, type Script, type ScriptedCall } from '../script';
import { explorer } from './explorer';

const report = 'REPORT.md';

/**
 * Plays a parent that plans, dispatches the first step of the plan to a subagent, reads the artifact that the subagent
 * wrote, and answers. The subagent explores the project, writes its report and a notes file.
 */
export function delegator(pace: AnswerOptions = {}): Script {
  const explore = explorer({ files: 3, ...pace });
  return (call) => (delegationDepth(call) > 0 ? asSubagent(call, explore, pace) : asPlanningParent(call, pace));
}

function asPlanningParent(call: ScriptedCall, pace: AnswerOptions): ScriptedReply {
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

const review = 'REVIEW.md';

/** Options of `reviewers`. */
export interface ReviewersOptions extends AnswerOptions {
  /** Subjects to review, one reviewer each. */
  readonly subjects?: readonly string[];
  /** The subject whose reviewer's first model call fails with an invalid API key. A retry succeeds. */
  readonly lockedOut?: string;
}

/**
 * Dispatches reviewers concurrently, then reads the file that all of them wrote to. Each reviewer appends a line to
 * whatever the others have written by then. A reviewer without a file to review refuses.
 */
export function reviewers(options: ReviewersOptions = {}): Script {
  const { subjects = ['README.md', 'src/gauge.js', 'the weather'], lockedOut, ...pace } = options;
  // By prompt, not by request: an operator may change the request before it is sent again. The next run of the same goal
  // has the same prompts, so its parent's first turn starts over.
  const refused = new Set<string>();
  return (call) => {
    const subject = /\*\*Reason\*\* – Review (.+)\./.exec(call.systemText)?.[1];
    if (subject === undefined) {
      if (call.turn === 0) for (const prompt of refused) if (prompt.includes(call.systemText)) refused.delete(prompt);
      return asReviewingParent(call, subjects, pace);
    }
    if (subject === lockedOut && !refused.has(call.systemText)) {
      refused.add(call.systemText);
      return fail(401, { message: 'invalid x-api-key' });
    }
    return asReviewer(call, subject, pace);
  };
}

function asReviewingParent(
  { toolExchanges }: ScriptedCall,
  subjects: readonly string[],
  pace: AnswerOptions,
): ScriptedReply {
  const [dispatched, read] = toolExchanges;
  if (dispatched === undefined) {
    const delegations = subjects.map((subject) => ({
      reason: `Review ${subject}.`,
      expected_result: `A line about it in ${review}.`,
      may_delegate_further: 'no',
      recap_lines: [`Read ${subject}`, `Add a line to ${review}`],
    }));
    return useTool('dispatch_subagents', { delegations }, { ...pace, text: 'These can be done at the same time.' });
  }
  if (read === undefined) return useTool('read_file', { path: review }, pace);
  return say(`${dispatched.result?.text ?? ''}\n\n${review}:\n${read.result?.text ?? ''}`, pace);
}

function asReviewer({ toolExchanges }: ScriptedCall, subject: string, pace: AnswerOptions): ScriptedReply {
  if (!subject.includes('.')) return refuse('There is nothing to read about that.', pace);
  const last = toolExchanges.at(-1);
  if (last === undefined) return useTool('read_file', { path: subject }, pace);
  const written = last.name === 'write_file' && last.result?.isError === false;
  if (written) return say(`Reviewed ${subject}.`, pace);
  // After reading the subject, and after a write that conflicted, reads what the others have written.
  const looked = last.name === 'read_file' && (last.input as { path?: unknown }).path === review;
  if (!looked) return useTool('read_file', { path: review }, pace);
  const before = last.result?.isError === false ? last.result.text : '';
  return useTool('write_file', { path: review, content: `${before}${lineAbout(subject, toolExchanges)}\n` }, pace);
}

function lineAbout(subject: string, exchanges: ScriptedCall['toolExchanges']): string {
  const text = exchanges[0]?.result?.text ?? '';
  return `- ${subject}: ${text.split('\n').length} lines`;
}
