import type { Script, ScriptedCall, ScriptedReply } from '../../scripted-model';

/** Whether a prompt was composed for a subagent, and how deep: each level embeds the one above. */
export function depthOf({ systemText }: ScriptedCall): number {
  return systemText.split('<!-- PARENT PROMPT START -->').length - 1;
}

/** Plays each level of a tree by a script of its own: the root's first. */
export function byDepth(...scripts: readonly Script[]): Script {
  return (call): ScriptedReply | Promise<ScriptedReply> => {
    const script = scripts[depthOf(call)];
    if (script === undefined) throw new Error(`No script for depth ${depthOf(call)}`);
    return script(call);
  };
}

/** Parameters of `dispatch_subagent` that are fine, with some of them changed. */
export function dispatch(more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    mode: 'ad_hoc',
    prompt_ns: 'baton',
    prompt_key: 'subagent',
    instructions: 'Find out what there is.',
    ...more,
  };
}
