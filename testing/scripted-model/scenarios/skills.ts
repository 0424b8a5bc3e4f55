import { type AnswerOptions, say, type ScriptedReply, useTool, useTools } from '../reply';
import type { Script, ScriptedCall } from '../script';

/** Artifact that the researcher writes. */
const discovery = 'DISCOVERY.md';
/** Text that the researcher writes while it works, which must not reach any other agent. */
export const asides = 'Between ourselves: the harbour smells of fish today.';

/** Phrase that every request to correct the format of an answer contains. */
export const repairCue = 'does not have the required form';
/** Openings of the system prompts of Baton's shipped skills. */
export const skillOpenings = { researcher: 'You are a researcher', executor: 'You are an executor' } as const;

/** Returns which of Baton's shipped skills is being called; undefined for any other agent. */
export function skillOf({ systemText }: ScriptedCall): string | undefined {
  return /^You are an? (?:[\w-]+ )?(researcher|planner|executor|verifier)\b/m.exec(systemText)?.[1];
}

/** Returns a field of a skill's input by its title. */
function inputOf({ systemText }: ScriptedCall, title: string): string | undefined {
  const input = systemText.slice(systemText.lastIndexOf('# INPUT'));
  const line = new RegExp(`^${title}: (.*)$`, 'm').exec(input)?.[1];
  return line === undefined ? undefined : (JSON.parse(line) as string);
}

const questionForResearcher = 'What is this project about?';

/** Dispatches a question to the skill `researcher`, and answers with its result. */
export function skilled(pace: AnswerOptions = {}): Script {
  return (call) => {
    if (skillOf(call) !== undefined) return asResearcher(call, { ...pace, sloppy: true });
    const [dispatched] = call.toolExchanges;
    if (dispatched !== undefined) return say(dispatched.result?.text ?? '', pace);
    const request = { skill: 'researcher', input: { goal: questionForResearcher } };
    return useTool('dispatch_skill', request, { ...pace, text: 'A question for the researcher.' });
  };
}

/**
 * Reads the readme, writes a discovery artifact, and answers. With `sloppy`, the first answer violates the output
 * format.
 */
function asResearcher(
  { toolExchanges, lastUserText }: ScriptedCall,
  { sloppy = false, ...pace }: AnswerOptions & { sloppy?: boolean } = {},
): ScriptedReply {
  const [read, written] = toolExchanges;
  if (read === undefined) return useTool('read_file', { path: 'README.md' }, { ...pace, text: asides });
  const about = headingIn(read.result?.text ?? '');
  if (written === undefined) {
    const content = `# Discovery\n\n${about}, says README.md:1.\n`;
    return useTool('write_artifact', { name: discovery, content }, pace);
  }
  if (sloppy && !lastUserText.includes(repairCue)) {
    return say(`Here is what I found: it is about ${about}.`, pace);
  }
  const found = `<finding><statement>It is called ${about}</statement><evidence>README.md:1</evidence></finding>`;
  return say(
    `<response><discovery><answer>It is about ${about}.</answer>${found}<artifact>${discovery}</artifact></discovery></response>`,
    pace,
  );
}

function headingIn(text: string): string {
  return (/^#+\s*(.+)$/m.exec(text)?.[1] ?? 'something without a name').replace(/[<&]/g, '');
}

const code = 'src/warnings.js';
const testFile = 'test/warnings.test.js';
const page = 'docs/warnings.md';
/** The line that the first attempt omits and the verifier looks for. */
const guard = 'if (centimetres === undefined) return undefined;';

/**
 * Plays the skills of the relay `feature`: research, a plan of two steps, their execution and a verification. The first
 * verification fails, so the steps run again with its feedback.
 */
export function feature(pace: AnswerOptions = {}): Script {
  return (call) => {
    switch (skillOf(call)) {
      case 'researcher':
        return asResearcher(call, pace);
      case 'planner':
        return asPlanner(call, pace);
      case 'executor':
        return asExecutor(call, pace);
      case 'verifier':
        return asVerifier(call, pace);
      default:
        return say('I play the skills of the relay `feature`. Try: baton relay feature --goal "…" -w . --follow', pace);
    }
  };
}

/** Plays Baton's shipped skills as `skilled` and `feature` do, and `script` for every other agent. */
export function playSkills(script: Script): Script {
  const ask = skilled();
  const others = withSkills(script);
  return (call) => (isAskedBySkilled(call) ? ask : others)(call);
}

function isAskedBySkilled(call: ScriptedCall): boolean {
  return skillOf(call) === 'researcher' && inputOf(call, 'User Goal') === questionForResearcher;
}

/** Plays Baton's shipped skills, and `script` for every other agent. */
export function withSkills(script: Script): Script {
  const skills = feature();
  return (call) => (skillOf(call) === undefined ? script : skills)(call);
}

function asPlanner({ turn }: ScriptedCall, pace: AnswerOptions): ScriptedReply {
  if (turn === 0) {
    const content = `# Plan\n\n1. s1: \`${code}\` says when to warn; \`${testFile}\` tests it.\n2. s2: \`${page}\` tells whoever is on duty.\n`;
    return useTool('write_artifact', { name: 'PLAN.md', content }, pace);
  }
  const steps = [
    step('s1', 'Say when to warn', code, 'It has a function that takes a height that may be missing'),
    step('s2', 'Tell whoever is on duty', page, 'It names the threshold'),
  ];
  return say(
    `<response><plan><goal>Warn of low water</goal><condition>A missing height gives no warning</condition>${steps.join('')}<artifact>PLAN.md</artifact></plan></response>`,
    pace,
  );
}

function step(id: string, title: string, file: string, check: string): string {
  return `<step><id>${id}</id><title>${title}</title><file>${file} (new)</file><action>Write it</action><check>${check}</check></step>`;
}

function asExecutor(call: ScriptedCall, pace: AnswerOptions): ScriptedReply {
  const isCode = inputOf(call, 'Step') !== 's2';
  const path = isCode ? code : page;
  if (call.turn === 0) {
    if (!isCode) return useTool('write_file', { path, content: pageText }, pace);
    const writes = [
      { path, content: codeOf(inputOf(call, 'Feedback') !== undefined) },
      { path: testFile, content: testText },
    ];
    return useTools(
      writes.map((input) => ({ name: 'write_file', input })),
      pace,
    );
  }
  const report = { status: 'done', summary: `Wrote ${path}.`, changedFiles: [path], checks: [], deviations: [] };
  return say(JSON.stringify(report), pace);
}

function codeOf(isGuarded: boolean): string {
  return [
    '/** Returns a warning for the harbour master if the water will be too low. */',
    'export function warning(centimetres, needed) {',
    ...(isGuarded ? [`  ${guard}`] : []),
    `  return ${isGuarded ? 'centimetres' : '(centimetres ?? 0)'} < needed ? \`Only \${centimetres} cm\` : undefined;`,
    '}',
    '',
  ].join('\n');
}

const testText = [
  "import assert from 'node:assert/strict';",
  "import { test } from 'node:test';",
  `import { warning } from '../${code}';`,
  '',
  "test('warns when the water will be too low', () => {",
  "  assert.equal(warning(100, 120), 'Only 100 cm');",
  '  assert.equal(warning(130, 120), undefined);',
  '});',
  '',
  "test('a missing height gives no warning', () => {",
  '  assert.equal(warning(undefined, 120), undefined);',
  '});',
  '',
].join('\n');

const pageText = '# Warnings\n\nA warning comes when the water will be lower than the ship needs.\n';

/** The command that runs the tests of the sample project. */
export const testCommand = 'node --test';

/** Runs the tests if it may run commands. Otherwise decides by the content of the files, which are in its prompt. */
function asVerifier({ systemText, request, toolExchanges }: ScriptedCall, pace: AnswerOptions): ScriptedReply {
  const [tested] = toolExchanges;
  const mayTest = request.tools?.some((tool) => 'name' in tool && tool.name === 'run_command') === true;
  if (tested === undefined && mayTest) return useTool('run_command', { command: testCommand }, pace);
  const isMet = tested === undefined ? systemText.includes(guard) : /^Exit code 0 /.test(tested.result?.text ?? '');
  const place = tested === undefined ? `${code}:3` : testFile;
  const condition = 'A missing height gives no warning';
  const problem = 'A missing height counts as 0 cm, so it always warns';
  const verdict = {
    verdict: isMet ? 'pass' : 'fail',
    summary: isMet ? 'Every condition is met.' : `${problem}.`,
    conditions: [{ condition, state: isMet ? 'met' : 'unmet', evidence: place }],
    findings: isMet ? [] : [{ severity: 'blocking', place, problem, expected: 'No warning without a height' }],
  };
  return say(JSON.stringify(verdict), pace);
}
