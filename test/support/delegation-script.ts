import type { Script, ScriptedCall, ScriptedReply } from '../../testing/scripted-model';

/**
 * Returns the depth of the subagent that a prompt was composed for, 0 for the root: each level embeds the one above.
 */
export function depthOf({ systemText }: ScriptedCall): number {
  return systemText.split('<!-- PARENT PROMPT START -->').length - 1;
}

/** Plays each level of a tree by its own script, the root's first. */
export function byDepth(...scripts: readonly Script[]): Script {
  return (call): ScriptedReply | Promise<ScriptedReply> => {
    const script = scripts[depthOf(call)];
    if (script === undefined) throw new Error(`No script for depth ${depthOf(call)}`);
    return script(call);
  };
}

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
