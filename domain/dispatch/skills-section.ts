import type { SectionSpec } from '../prompt';
import { literalTemplate, skillsNs, type SkillDefinition } from '../skill';
import { dispatchSkillName, inOneLine } from './dispatch-skill';

/** Builds the prompt section that enables `dispatch_skill`. It explains when to use the tool and lists the skills. */
export function skillsSection(skills: readonly SkillDefinition[]): SectionSpec {
  return {
    key: 'skills',
    title: 'Skills',
    tools: [dispatchSkillName],
    template: [
      'Use `dispatch_skill` to hand work to a specialised agent. It sees nothing of your prompt, your conversation or your ' +
        'session: only what its skill injects from your workspace and your artifacts, and the `input` that you give. So the ' +
        'input must say everything else that matters.',
      '',
      'Artifacts that it leaves are yours afterwards, and skills that you dispatch later find them under their names. What ' +
        'it changes in its own session and files stays there.',
      '',
      'There are these skills, and what they take:',
      '',
      ...skills.map((skill) => literalTemplate(`- \`${skill.name}\`: ${inOneLine(skill)} Input: ${fieldsOf(skill)}.`)),
      '',
      `One that needs nothing but a \`goal\` can be dispatched with \`dispatch_subagent\` too, as \`prompt_ns\` \`${skillsNs}\` ` +
        'and its name as `prompt_key`; your `instructions` are its goal then.',
    ].join('\n'),
  };
}

function fieldsOf({ input: { properties = {}, required = [] } }: SkillDefinition): string {
  const names = Object.keys(properties).map((name) => {
    return `\`${name}\`${required.includes(name) ? '' : ' (optional)'}`;
  });
  return names.join(', ') || 'nothing';
}
