import { Command } from 'commander';
import { existsSync } from 'node:fs';
import { stringify } from 'yaml';
import { headline } from '../../client/format';
import { loadFolders, loadSkills, projectSkills, shippedSkills } from '../../definitions/skill/load-skills';
import { renderPrompt } from '../../domain/prompt';
import { type LoadedSkill, type SkillCatalog, type SkillDefinition, skillPrompt } from '../../domain/skill';
import type { Terminal } from '../context';
import { definitionCommands, type DefinitionKind, type Definitions } from '../definition-commands';
import { columns } from '../screen/table';
import { importCommand } from './import-command';

const kind: DefinitionKind<LoadedSkill> = {
  singular: 'skill',
  plural: 'skills',
  example: 'planner',
  descriptions: {
    list: 'list the available skills',
    check: 'check skill files; the exit code is 1 if there are errors',
    show: 'print a skill: its definition, source, hash and composite prompt',
  },
  checkNote: `Each diagnostic is one line: file:line:column: error or notice: field: message. Notices are not problems: they name
  fields of another program's file that are ignored, and skills that are overridden by another definition.`,
  load: async (project) => asDefinitions(await loadSkills(project)),
  loadAny: async (dir) => asDefinitions(await skillsIn(dir)),
  print: { listText: skillListText, listJson: skillListJson, showText: skillText, showJson: skillJson },
};

/** `baton skills`: lists, checks, shows and imports the skills of a project, without a Temporal server. */
export function skillsCommand(terminal: Terminal): Command {
  const skills = new Command('skills')
    .description('list, check, show and import skills: specialized agents that files define')
    .addHelpText('after', help);
  for (const command of definitionCommands(kind, terminal)) skills.addCommand(command);
  return skills.addCommand(importCommand(terminal));
}

const help = `
Skills are read from Baton's own skills/, and from the project's .claude/skills/, .claude/agents/ and .baton/skills/.
If several define the same name, the last of these folders wins. The format is described in docs/skills.md.

Examples:
  $ baton skills list
  $ baton skills check
  $ baton skills show planner
  $ baton skills import --mcp everything --dry-run
`;

function asDefinitions({ skills, findings, get }: SkillCatalog): Definitions<LoadedSkill> {
  return { entries: skills, findings, get };
}

/** Treats a folder that is not a project as a folder of skill files, such as drafts that are not installed yet. */
async function skillsIn(dir: string): Promise<SkillCatalog> {
  const folders = projectSkills(dir);
  if (dir === '.' || folders.some(({ path }) => existsSync(path))) return loadSkills(dir);
  return loadFolders([shippedSkills(), { path: dir, shownAs: dir, kind: 'skills', from: 'project' }]);
}

/** Formats a table of skills. */
export function skillListText(skills: readonly LoadedSkill[]): string {
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
export function skillListJson(skills: readonly LoadedSkill[]): unknown {
  return skills.map(({ skill: { name, description, tools }, hash, file, format, from }) => {
    return { name, description, tools, hash, file, format, from };
  });
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
export function skillText({ skill, hash, file, format, from }: LoadedSkill): string {
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
export function skillJson(loaded: LoadedSkill): unknown {
  return { ...loaded, prompt: promptWithPlaceholders(loaded.skill) };
}
