import { say, type Script, type ScriptedCall, useTool } from 'baton-agents/testing';

/** Plays the model, so that the project can be tried without a key: lead and reviewers, recognized by their prompts. */
export const script: Script = (call) => {
  const path = /\*\*Reason\*\* – Review (\S+)\./.exec(call.systemText)?.[1];
  return path === undefined ? lead(call) : reviewer(call, path);
};

function lead({ toolExchanges }: ScriptedCall) {
  const [listed, reviewed, written] = toolExchanges;
  if (listed === undefined) return useTool('list_files', { path: '.' });
  const paths = (listed.result?.text ?? '').match(/\S+\.js/g) ?? [];
  if (reviewed === undefined) return useTool('dispatch_subagents', { delegations: paths.map(taskFor) });
  const lines = [...(reviewed.result?.text ?? '').matchAll(/"output":"([^"]+)"/g)].map(([, line]) => line ?? '');
  if (written === undefined) return useTool('write_artifact', { name: 'REVIEW.md', content: `${lines.join('\n')}\n` });
  const urgent = lines.filter((line) => !line.endsWith('nothing to fix'));
  return say(`${lines.length} files reviewed. To fix today:\n${urgent.map((line) => `- ${line}`).join('\n')}`);
}

function taskFor(path: string) {
  return {
    reason: `Review ${path}.`,
    expected_result: 'One line: the path, and the worst mistake.',
    may_delegate_further: 'no',
    recap_lines: [`Read ${path}`, 'Answer with one line'],
  };
}

function reviewer({ toolExchanges }: ScriptedCall, path: string) {
  const [read] = toolExchanges;
  if (read === undefined) return useTool('read_file', { path });
  const code = read.result?.text ?? '';
  if (/[^=]==[^=]/.test(code)) return say(`${path}: compares with ==, so an empty password equals 0`);
  if (code.includes('eval(')) return say(`${path}: runs a formula from outside as code`);
  return say(`${path}: nothing to fix`);
}
