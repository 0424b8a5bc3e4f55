import type { SectionSpec } from '../prompt';
import { dispatchSubagentsName } from './dispatch-subagents';

/** Builds the prompt section that enables `dispatch_subagents`. The model decides when and what to dispatch. */
export function subagentsSection({
  acceptsOverrides = false,
}: { readonly acceptsOverrides?: boolean } = {}): SectionSpec {
  return {
    key: 'parallel-subagents',
    title: 'Parallel Subagents',
    acceptsOverrides,
    tools: [dispatchSubagentsName],
    template: [
      'You can offload steps that can be done in parallel by calling `dispatch_subagents` with one delegation per step. Steps ' +
        'that can be done in parallel MUST be dispatched in one call instead of being done one after another.',
      '',
      'Every delegation must include recap bullets (`recap_lines`): the plan of that subagent in short lines, so that you can ' +
        'audit afterwards whether it did what you meant.',
    ].join('\n'),
  };
}
