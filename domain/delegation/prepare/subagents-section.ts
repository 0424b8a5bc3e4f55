import type { SectionSpec } from '../../prompt';
import { dispatchSubagentsName } from '../dispatch-subagents';

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
      'You can offload parallelizable steps by calling `dispatch_subagents` with one delegation per step. Steps that can run ' +
        'in parallel MUST be dispatched in one call instead of being executed one after another.',
      '',
      "Every delegation must include recap bullets (`recap_lines`): the subagent's plan in short lines, so that you can audit it.",
    ].join('\n'),
  };
}
