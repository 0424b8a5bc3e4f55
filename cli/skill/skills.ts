import { existsSync } from 'node:fs';
import { Command } from 'commander';
import type { LoadedSkill, SkillCatalog } from '../../domain/skill';
import { loadFolders, loadSkills, projectSkills, shippedSkills } from '../../definitions/skill/load-skills';
import type { Terminal } from '../context';
import { definitionCommands, type DefinitionKind, type Definitions } from '../definition-commands';
import { listJson, listText, showJson, showText } from './print';

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
  print: { listText, listJson, showText, showJson },
};

/** `baton skills`: lists, checks and shows the skills of a project, without a server. */
export function skillsCommand(terminal: Terminal): Command {
  const skills = new Command('skills')
    .description('list, check and show skills: specialized agents that files define')
    .addHelpText('after', help);
  for (const command of definitionCommands(kind, terminal)) skills.addCommand(command);
  return skills;
}

const help = `
Skills are read from Baton's own skills/, and from the project's .claude/skills/, .claude/agents/ and .baton/skills/.
If several define the same name, the last of these folders wins. The format is described in docs/skills.md.

Examples:
  $ baton skills list
  $ baton skills check
  $ baton skills show planner
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
