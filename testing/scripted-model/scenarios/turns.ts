import { type AnswerOptions, say, useTool } from '../reply';
import type { Script, ScriptedCall } from '../script';

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
