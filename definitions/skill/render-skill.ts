import { stringify } from 'yaml';
import { InvalidInputError } from '../../domain/kernel';
import { parseSkill, type SkillDefinition, skillHash } from '../../domain/skill';
import { readSkill } from './read-skill';

const header = '# Imported by `baton skills import`. Review it before you use it; `origin` says where it comes from.\n';

/** Maximum bytes of a rendered file, below what is read of a skill file. */
const maxBytes = 250 * 1024;

/**
 * Renders the fields of an imported skill as a skill file. Returns the skill as a worker reads it from there. Throws if a
 * worker would not read exactly these fields.
 */
export function renderSkillFile(value: Readonly<Record<string, unknown>>): {
  readonly skill: SkillDefinition;
  readonly text: string;
} {
  const text = header + stringify(value, { lineWidth: 0 });
  const wanted = parseSkill(value);
  const [read] = readSkill({ text, file: 'skill.yaml', format: 'baton', from: 'project' }).skills;
  if (wanted.ok && read?.hash === skillHash(wanted.skill) && Buffer.byteLength(text) <= maxBytes)
    return { skill: wanted.skill, text };
  throw new InvalidInputError('skill', 'it cannot be written to a file', 'Copy its text by hand.');
}
