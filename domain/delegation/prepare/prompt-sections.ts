import { escapeTemplate, type PromptDefinition, type SectionSpec } from '../../prompt';
import { snapshotFormat } from '../../session';
import { type SkillDefinition, skillNamespace } from '../../skill';
import {
  describeDeferred,
  dispatchSkillName,
  dispatchSubagentName,
  dispatchSubagentsName,
  findToolName,
  type ToolDescription,
} from '../../tool';
import { inOneLine } from '..';

/** Builds the prompt section that tells an agent which of its tools are deferred when it starts. */
export function deferredToolsSection(deferred: readonly ToolDescription[]): SectionSpec {
  return {
    key: 'deferred-tools',
    title: 'Deferred Tools',
    tools: [],
    template: escapeTemplate(
      `You may use more tools than your list shows. When you start, the descriptions of ${describeDeferred(deferred)} are left out to save room. ` +
        `Bring in those that you need with \`${findToolName}\`: search for what a tool should do, or for its name. You can call it from your next turn on.`,
    ),
  };
}

/**
 * Builds the prompt section that provides `dispatch_skill`. It explains when to use the tool and lists the skills. The tool
 * can dispatch every skill that the worker has.
 */
export function skillsSection(skills: readonly SkillDefinition[]): SectionSpec {
  return {
    key: 'skills',
    title: 'Skills',
    tools: [dispatchSkillName],
    template: [
      'Use `dispatch_skill` to delegate work to a specialized agent. It sees nothing of your prompt, conversation or session: ' +
        'only what its skill injects from your workspace and artifacts, and the `input` you provide. Put everything else it ' +
        'needs into the input.',
      '',
      'You, and skills you dispatch later, can read the artifacts it writes. Changes to its own session and files stay there.',
      '',
      'Available skills and their input:',
      '',
      ...skills.map((skill) =>
        escapeTemplate(`- \`${skill.name}\`: ${inOneLine(skill)} Input: ${fieldsOf(skill)}.${seen(skill)}`),
      ),
      '',
      'A skill that requires only a `goal` can also be dispatched with `dispatch_subagent`: set `prompt_ns` to ' +
        `\`${skillNamespace}\`, \`prompt_key\` to its name, and \`instructions\` to the goal.`,
    ].join('\n'),
  };
}

/** The exception to what the section says about all skills. */
function seen({ delegation }: SkillDefinition): string {
  return delegation?.parentPrompt === 'embedded' ? ' This one does see your prompt.' : '';
}

function fieldsOf({ input: { properties = {}, required = [] } }: SkillDefinition): string {
  const names = Object.keys(properties).map((name) => {
    return `\`${name}\`${required.includes(name) ? '' : ' (optional)'}`;
  });
  return names.join(', ') || 'nothing';
}

/**
 * Builds the prompt section that provides `dispatch_subagent`. It explains when to use the tool and lists the prompts. The
 * tool can dispatch every enabled prompt that the worker has.
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
      'Do small things yourself. Do not rely on the subagent seeing your conversation: put everything it needs into ' +
        '`instructions`. Changes to its own session and files stay there. If you need more than the summary, request artifacts ' +
        'and read them with `read_artifact`, like everything else that its result lists under `artifacts`.',
      '',
      `Your session has snapshot version \`${snapshotFormat}\`. If the work depends on it, pass it as \`snapshot_version\`.`,
      '',
      'Available prompts (`prompt_ns` / `prompt_key`):',
      '',
      ...lines,
    ].join('\n'),
  };
}

/**
 * Builds the prompt section that provides `dispatch_subagents`. The model decides when and what to dispatch. A root whose
 * prompt lacks this section does not have the tool.
 *
 * @example
 * ```ts
 * import { definePrompt, subagentsSection } from 'baton-agents/worker';
 * import { z } from 'zod';
 *
 * export const teamUpdatePrompt = definePrompt({
 *   ns: 'weekly.review',
 *   key: 'team-update',
 *   description: 'Writes the weekly update of a team.',
 *   parameters: z.object({ body: z.string() }),
 *   sections: [{ key: 'team-update-body', title: 'Team Update', template: '${body}' }, subagentsSection()],
 * });
 * ```
 */
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
