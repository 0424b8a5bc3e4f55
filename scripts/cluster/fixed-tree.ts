import { say, useTools, type Script, type ScriptedCall, type ScriptedReply } from '../../testing/scripted-model';
import { dispatch } from '../../test/support/delegation-script';

type Use = readonly [tool: string, input: Record<string, unknown>];

const task = (name: string, more: Record<string, unknown> = {}): Use => [
  'dispatch_subagent',
  dispatch({ instructions: `You are agent ${name}.`, ...more }),
];
const step = (name: string, id: string): Use => task(name, { mode: 'plan_step', plan_step_id: id });
const note = (text: string): Use => ['add_note', { text }];
const write = (name: string, content: string): Use => ['write_artifact', { name, content }];
const read = (name: string): Use => ['read_artifact', { name }];

/** A leaf of the tree: adds a note, writes an artifact, answers. */
const leaf = (name: string): (readonly Use[])[] => [
  [note(`${name} was here`), ['read_file', { path: 'stars.txt' }]],
  [write(`${name}.md`, `What ${name} found.`)],
];

/** The tool calls of each agent, reply by reply. After the last one it answers. */
const tree: Readonly<Record<string, readonly (readonly Use[])[]>> = {
  root: [
    [['add_plan_steps', { steps: ['Survey', 'Check', 'Report'] }], note('the harbour is closed'), ['list_files', {}]],
    [step('alpha', 'S001'), task('beta', { expected_artifacts: ['beta.md'] }), task('gamma')],
    [read('beta.md'), ['write_file', { path: 'log.txt', content: 'Three have reported.\n' }]],
    [note('one is missing'), step('delta', 'S002')],
    [write('REPORT.md', 'All have reported.'), ['update_plan_step', { id: 'S003', status: 'done' }]],
  ],
  alpha: [
    [note('alpha splits its work')],
    [task('alpha-one'), task('alpha-two')],
    [read('alpha-two.md'), write('alpha.md', 'Two have reported to alpha.')],
  ],
  beta: [
    [write('beta.md', 'What beta found.')],
    [task('beta-one', { expected_artifacts: ['beta-one.md'] })],
    [read('beta-one.md')],
  ],
  gamma: [
    [['add_plan_steps', { steps: ['Only for gamma'] }]],
    [
      ['update_plan_step', { id: 'S004', status: 'done' }],
      ['edit_file', { path: 'stars.txt', old_text: 'Vega', new_text: 'Deneb' }],
    ],
    [['read_file', { path: 'stars.txt' }]],
  ],
  delta: [[read('alpha.md'), ['list_files', {}]], [task('delta-one')]],
  'alpha-one': leaf('alpha-one'),
  'alpha-two': leaf('alpha-two'),
  'beta-one': leaf('beta-one'),
  'delta-one': leaf('delta-one'),
};

/** The files in the root's workspace. */
export const files: Readonly<Record<string, string>> = {
  'stars.txt': 'Sirius\nVega\n',
  'docs/readme.md': 'Read me.\n',
};

export const expectedCalls = Object.values(tree).reduce((sum, replies) => sum + replies.length + 1, 0);
export const expectedDelegations = Object.keys(tree).length - 1;

/** Returns which agent a call belongs to. The agent's own task is outside of the embedded prompt of its parent. */
export function agentOf({ systemText }: Pick<ScriptedCall, 'systemText'>): string {
  const [before = '', ...rest] = systemText.split('<!-- PARENT PROMPT START -->');
  if (rest.length === 0) return 'root';
  const own = `${before}${rest.at(-1)?.split('<!-- PARENT PROMPT END -->').at(-1) ?? ''}`;
  return /You are agent ([a-z-]+)\./.exec(own)?.[1] ?? 'nobody';
}

/** Names one call of the tree. Every reply starts with it, so that a journaled reply shows which call it answers. */
export function callName(call: Pick<ScriptedCall, 'systemText' | 'turn'>): string {
  return `${agentOf(call)}/${call.turn}`;
}

/**
 * Plays the whole tree. Answers quote the agent's tool results, so that the root's answer depends on every result
 * below.
 */
export const playTree: Script = (call): ScriptedReply => {
  const replies = tree[agentOf(call)];
  if (replies === undefined) throw new Error(`Unknown agent "${agentOf(call)}" in the tree`);
  const uses = replies[call.turn];
  const name = `[${callName(call)}]`;
  // Slow enough that a kill often hits a call in progress.
  const delayMs = 60;
  if (uses !== undefined) {
    return useTools(
      uses.map(([tool, input]) => ({ name: tool, input })),
      { text: name, delayMs },
    );
  }
  const heard = call.toolExchanges.map(({ result }) => (result?.isError === false ? 'ok' : 'failed'));
  const told = call.toolExchanges
    .filter((exchange) => exchange.name === 'dispatch_subagent')
    .map(({ result }) => result?.text.split('\n', 1)[0] ?? '');
  return say(`${name} ${heard.join(' ')} {${told.join('; ')}}`, { delayMs });
};
