import { type AnswerOptions, say, type ScriptedReply, useTool } from '../reply/reply';
import type { Script, ScriptedCall } from '../script';
import { asResearcher, inputOf, skillOf } from './skills';

const code = 'src/warnings.ts';
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

function asPlanner({ turn }: ScriptedCall, pace: AnswerOptions): ScriptedReply {
  if (turn === 0) {
    const content = `# Plan\n\n1. s1: \`${code}\` says when to warn.\n2. s2: \`${page}\` tells whoever is on duty.\n`;
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
    const content = isCode ? codeOf(inputOf(call, 'Feedback') !== undefined) : pageText;
    return useTool('write_file', { path, content }, pace);
  }
  const report = { status: 'done', summary: `Wrote ${path}.`, changedFiles: [path], checks: [], deviations: [] };
  return say(JSON.stringify(report), pace);
}

function codeOf(isGuarded: boolean): string {
  return [
    '/** Returns a warning for the harbour master if the water will be too low. */',
    'export function warning(centimetres: number | undefined, needed: number): string | undefined {',
    ...(isGuarded ? [`  ${guard}`] : []),
    `  return ${isGuarded ? 'centimetres' : '(centimetres ?? 0)'} < needed ? \`Only \${centimetres} cm\` : undefined;`,
    '}',
    '',
  ].join('\n');
}

const pageText = '# Warnings\n\nA warning comes when the water will be lower than the ship needs.\n';

/** Decides by the current content of the files, which are in its prompt. */
function asVerifier({ systemText }: ScriptedCall, pace: AnswerOptions): ScriptedReply {
  const isMet = systemText.includes(guard);
  const place = `${code}:3`;
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
