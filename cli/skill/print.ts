import { stringify } from 'yaml';
import { renderPrompt } from '../../domain/prompt';
import { skillPrompt, type LoadedSkill, type SkillDefinition } from '../../domain/skill';
import { columns, headline } from '../../client/format';

/** Formats a table of skills. */
export function listText(skills: readonly LoadedSkill[]): string {
  return columns([
    ['NAME', 'FROM', 'TOOLS', 'HASH', 'DESCRIPTION'],
    ...skills.map(({ skill, hash, file }) => [
      skill.name,
      file,
      String(skill.tools.length),
      hash.slice(0, 12),
      headline(skill.description),
    ]),
  ]);
}

/** Formats a list of skills for `--json`. */
export function listJson(skills: readonly LoadedSkill[]): string {
  return JSON.stringify(
    skills.map(({ skill: { name, description, tools }, hash, file, format, from }) => {
      return { name, description, tools, hash, file, format, from };
    }),
  );
}

/** Renders a skill's prompt with a description in brackets wherever a run inserts text. */
export function promptWithPlaceholders(skill: SkillDefinition): string {
  const slice = skill.slice.map(({ source, tag, required }) => {
    const content =
      typeof source === 'string'
        ? source
        : 'outline' in source
          ? 'outline of the tree'
          : `files mentioned in ${source.mentionedIn}`;
    return `<${tag}>[${content}${required === true ? '' : ', if present'}]</${tag}>`;
  });
  const fields = Object.entries(skill.input.properties ?? {}).map(
    ([name, { title, type }]) => `${title ?? name}: [${type}]`,
  );
  const parameters = {
    skill_context: slice.length === 0 ? '[nothing]' : slice.join('\n'),
    skill_task: skill.task.trim(),
    skill_input: fields.join('\n'),
  };
  return renderPrompt(skillPrompt(skill), { parameters, headingLevel: 1 }).markdown;
}

/** Formats one skill with its definition and its prompt. */
export function showText({ skill, hash, file, format, from }: LoadedSkill): string {
  return [
    `${skill.name} (${from}, ${format})`,
    `File: ${file}`,
    `Hash: ${hash}`,
    '',
    'Complete definition:',
    '',
    stringify(skill, { lineWidth: 0 })
      .trimEnd()
      .replace(/^(?=.)/gm, '  '),
    '',
    'Composite prompt; a run replaces the text in [brackets]:',
    '',
    promptWithPlaceholders(skill).trimEnd(),
  ].join('\n');
}

/** Formats one skill for `--json`. */
export function showJson(loaded: LoadedSkill): string {
  return JSON.stringify({ ...loaded, prompt: promptWithPlaceholders(loaded.skill) });
}
