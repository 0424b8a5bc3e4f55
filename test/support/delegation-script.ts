export { delegationDepth as depthOf, scriptByDepth as byDepth } from '../../testing/scripted-model';

/** Valid parameters of `dispatch_subagent`, with some of them changed. */
export function dispatch(more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    mode: 'ad_hoc',
    prompt_ns: 'baton',
    prompt_key: 'subagent',
    instructions: 'Find out what there is.',
    ...more,
  };
}

/** The structured part of a result of `dispatch_subagent` or `dispatch_skill`. */
export interface DispatchResult {
  readonly prompt_ns: string;
  readonly prompt_key: string;
  readonly message_summary: string;
  readonly artifacts: readonly string[];
  readonly tools_used: readonly string[];
  readonly output?: unknown;
}

/** Returns the payload of a delegation's result: the last line that can be one. */
export function payloadOf({ text }: { readonly text: string }): DispatchResult {
  const lines = text.split('\n').filter((line) => line.startsWith('{"prompt_ns"'));
  return JSON.parse(lines.at(-1) ?? 'null') as DispatchResult;
}
