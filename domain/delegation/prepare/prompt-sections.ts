import type { SectionSpec } from '../../prompt';
import { escapeTemplate, skillNamespace, type SkillDefinition } from '../../skill';
import { dispatchSkillName, inOneLine } from '../dispatch-skill';

/** Builds the prompt section that enables `dispatch_skill`. It explains when to use the tool and lists the skills. */
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
      ...skills.map((skill) => escapeTemplate(`- \`${skill.name}\`: ${inOneLine(skill)} Input: ${fieldsOf(skill)}.`)),
      '',
      'A skill that requires only a `goal` can also be dispatched with `dispatch_subagent`: set `prompt_ns` to ' +
        `\`${skillNamespace}\`, \`prompt_key\` to its name, and \`instructions\` to the goal.`,
    ].join('\n'),
  };
}

function fieldsOf({ input: { properties = {}, required = [] } }: SkillDefinition): string {
  const names = Object.keys(properties).map((name) => {
    return `\`${name}\`${required.includes(name) ? '' : ' (optional)'}`;
  });
  return names.join(', ') || 'nothing';
}
