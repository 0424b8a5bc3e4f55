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
