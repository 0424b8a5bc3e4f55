import { say, useTool } from '../reply/answers';
import type { AnswerOptions } from '../reply/reply';
import type { Script, ScriptedCall } from '../script';

export interface TurnsOptions extends AnswerOptions {
  readonly tool?: string;
  /** The same for every turn, or made from the turn's number. */
  readonly input?: Readonly<Record<string, unknown>> | ((turn: number) => Readonly<Record<string, unknown>>);
  readonly answer?: string | ((call: ScriptedCall) => string);
}

/** So many tool calls, one per turn, then an answer. */
export function turns(count: number, options: TurnsOptions = {}): Script {
  const { tool = 'list_files', input = { path: '.' }, answer = `Done after ${count} turns.`, ...rest } = options;
  return (call) => {
    if (call.turn >= count) return say(typeof answer === 'function' ? answer(call) : answer, rest);
    return useTool(tool, typeof input === 'function' ? input(call.turn) : input, rest);
  };
}
