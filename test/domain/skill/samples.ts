import { parseSkill, type SkillDefinition } from '../../../domain/skill';

/** A skill with only what a test is about. */
export function skillOf(fields: Record<string, unknown> = {}): SkillDefinition {
  const parsed = parseSkill({
    name: 'sample',
    description: 'A sample.',
    systemPrompt: 'You are a sample.',
    tools: [],
    ...fields,
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.skill;
}

export function problemsOf(fields: Record<string, unknown>): string[] {
  const parsed = parseSkill({ name: 'sample', description: 'A sample.', systemPrompt: 'You.', tools: [], ...fields });
  return parsed.ok ? [] : parsed.problems.map(({ path }) => path.map(String).join('.'));
}
