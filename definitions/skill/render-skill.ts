import { stringify } from 'yaml';
import { InvalidInputError } from '../../domain/kernel';
import { type SkillDefinition, skillHash } from '../../domain/skill';
import { readSkill } from './read-skill';

const header = '# Imported by `baton skills import`. Review it before you use it; `origin` says where it comes from.\n';

/** Maximum bytes of a rendered file, below what is read of a skill file. */
const maxBytes = 250 * 1024;

/**
 * Renders an imported skill as a skill file. `value` has the fields of the file. Throws if a worker would not read exactly
 * this skill from it.
 */
export function renderSkillFile(skill: SkillDefinition, value: Readonly<Record<string, unknown>>): string {
  const text = header + stringify(value, { lineWidth: 0 });
  const file = `${skill.name}.yaml`;
  const [read] = readSkill({ text, file, format: 'baton', from: 'project' }).skills;
  if (read?.hash === skillHash(skill) && Buffer.byteLength(text) <= maxBytes) return text;
  throw new InvalidInputError(file, 'the skill cannot be written to a file', 'Copy its text by hand.');
}
