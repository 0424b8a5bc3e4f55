import { parseSkill, type SkillDefinition } from '../../../domain/skill';
import { chaosServer, chaosSkill, safeCommand } from '../tree/uses';

/** Commands that agents may run. */
export const chaosCommands = { safeToRepeat: [safeCommand] };

/** The skill that agents of a tree may have. It may do everything that the others may. */
export function chaosSkills(hasCommands: boolean): SkillDefinition[] {
  const parsed = parseSkill({
    name: chaosSkill,
    description: 'Does what its script says.',
    systemPrompt: 'You do what your script says.',
    tools: [
      'add_note',
      'add_plan_steps',
      'write_file',
      'read_file',
      'write_artifact',
      'dispatch_subagent',
      'dispatch_subagents',
      'dispatch_skill',
      ...(hasCommands ? ['run_command'] : []),
    ],
    mcp: { [chaosServer]: '*' },
    output: 'text',
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return [parsed.skill];
}
