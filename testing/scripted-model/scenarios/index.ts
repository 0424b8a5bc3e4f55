import { type AnswerOptions, say, useTool } from '../reply';
import type { Script, ScriptedCall } from '../script';
import { approval, question } from './approvals';
import { delegator, reviewers } from './delegation';
import { explorer } from './explorer';
import { longWork } from './long-work';
import { feature, skilled, withSkills } from './skills';

/** Scripts that can be selected by name, some with a number after a colon, such as `turns:200`. */
export const scenarios: Readonly<Record<string, (count: number | undefined) => Script>> = {
  explorer: (files) => withSkills(explorer(files === undefined ? {} : { files })),
  delegator: () => delegator(),
  reviewers: () => reviewers(),
  parked: () => reviewers({ subjects: ['README.md', 'package.json', 'LICENSE.txt'], lockedOut: 'README.md' }),
  skilled: () => skilled(),
  feature: () => feature(),
  approval: () => approval(),
  question: () => question(),
  'long-work': () => longWork(),
  turns: (count) => turns(count ?? 10),
  echo: () => (call) => say(call.lastUserText),
};

/** Returns the script for a name; undefined when it is unknown. */
export function findScenario(name: string): Script | undefined {
  const [, base = '', count] = /^([a-z-]+)(?::(\d+))?$/.exec(name) ?? [];
  const known = Object.hasOwn(scenarios, base) ? scenarios[base] : undefined;
  return known?.(count === undefined ? undefined : Number(count));
}

/** Options of `turns`. */
export interface TurnsOptions extends AnswerOptions {
  /** Tool to call. Default: `list_files`. */
  readonly tool?: string;
  /** Input of every call, or a function of the turn's number. */
  readonly input?: Readonly<Record<string, unknown>> | ((turn: number) => Readonly<Record<string, unknown>>);
  readonly answer?: string | ((call: ScriptedCall) => string);
}

/** Makes `count` tool calls, one per turn, then answers. */
export function turns(count: number, options: TurnsOptions = {}): Script {
  const { tool = 'list_files', input = { path: '.' }, answer = `Done after ${count} turns.`, ...rest } = options;
  return (call) => {
    if (call.turn >= count) return say(typeof answer === 'function' ? answer(call) : answer, rest);
    return useTool(tool, typeof input === 'function' ? input(call.turn) : input, rest);
  };
}
