import type { PromptDefinition, SectionSpec } from '../../prompt';
import { dispatchSubagentName } from '../dispatch-subagent';

/**
 * Builds the prompt section that enables `dispatch_subagent`. It explains when to use the tool and lists the prompts.
 */
export function promptSubagentToolsSection(prompts: readonly PromptDefinition[]): SectionSpec {
  const lines = prompts.map(({ ns, key, description }) => `- \`${ns}\` / \`${key}\`: ${description}`);
  return {
    key: 'subagents',
    title: 'Subagents',
    tools: [dispatchSubagentName],
    template: [
      'Use `dispatch_subagent` to delegate a block of work to a new agent that starts from a copy of your session, has your ' +
        'tools, and returns only a summary. Use it:',
      '',
      '- when a plan step needs deep investigation whose details you will not need afterwards;',
      '- when your context is getting long;',
      '- when a piece of work is self-contained and can be described in a few sentences.',
      '',
      'Do small things yourself. The subagent sees nothing of your conversation, so put everything it needs into ' +
        '`instructions`. Changes to its own session and files stay there. If you need more than the summary, request artifacts ' +
        'and read them with `read_artifact`.',
      '',
      'Available prompts (`prompt_ns` / `prompt_key`):',
      '',
      ...lines,
    ].join('\n'),
  };
}
