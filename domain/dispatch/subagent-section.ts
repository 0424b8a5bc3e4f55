import type { PromptDefinition, SectionSpec } from '../prompt';
import { dispatchSubagentName } from './dispatch-subagent';

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
      'Use `dispatch_subagent` to hand a block of work to a fresh agent that starts from a copy of your session, has your ' +
        'tools, and returns only a summary:',
      '',
      '- when a plan step needs deep investigation whose details you do not need afterwards;',
      '- when your own context is getting long;',
      '- when a piece of work is complete in itself and can be described in a few sentences.',
      '',
      'Do small things yourself. The subagent sees nothing of your conversation: put everything it needs into ' +
        '`instructions`. What it changes in its own session and files stays there; ask for artifacts if you need more than ' +
        'the summary, and read them with `read_artifact`.',
      '',
      'Prompts that can be dispatched (`prompt_ns` / `prompt_key`):',
      '',
      ...lines,
    ].join('\n'),
  };
}
