import { existsSync } from 'node:fs';
import { Command } from 'commander';
import type { LoadedSkill, SkillCatalogue } from '../../domain/skill';
import { loadFolders, loadSkills, projectSkills, shippedSkills } from '../../store/skill-files/load-skills';
import type { Terminal } from '../cli';
import { definitionCommands, type DefinitionKind, type Definitions } from '../definition-commands';
import { listJson, listText, showJson, showText } from '../skills/print';

const kind: DefinitionKind<LoadedSkill> = {
  one: 'skill',
  several: 'skills',
  example: 'planner',
  descriptions: {
    list: 'list the skills that agents can be started with',
    check: 'check skill files; exit code 1 when one is wrong',
    show: 'print the definition of a skill, where it is from, its hash and its composite prompt',
  },
  checkNote: `Every finding is a line: file:line:column: error or notice: field: what is wrong. Notices tell what was not mapped from
another program's file, and which skill takes the place of which; they are no problems.`,
  load: async (project) => asDefinitions(await loadSkills(project)),
  loadAny: async (dir) => asDefinitions(await skillsIn(dir)),
  print: { listText, listJson, showText, showJson },
};

/** Skills of this project, without a server. */
export function skillsCommand(terminal: Terminal): Command {
  const skills = new Command('skills')
    .description('specialised agents defined by files: list, check and show them')
    .addHelpText('after', help);
  for (const command of definitionCommands(kind, terminal)) skills.addCommand(command);
  return skills;
}

const help = `
Skills are read from Baton's own skills/, and from the project's .claude/skills/, .claude/agents/ and .baton/skills/.
Of two with the same name, the one further to the right is used. What the files say: docs/skills.md.

Examples:
  $ baton skills list
  $ baton skills check
  $ baton skills show planner
`;

function asDefinitions({ skills, findings, get }: SkillCatalogue): Definitions<LoadedSkill> {
  return { entries: skills, findings, get };
}

/** A folder that is no project is taken for one of skill files, such as one that is not in its place yet. */
async function skillsIn(dir: string): Promise<SkillCatalogue> {
  const folders = projectSkills(dir);
  if (dir === '.' || folders.some(({ path }) => existsSync(path))) return loadSkills(dir);
  return loadFolders([shippedSkills(), { path: dir, shownAs: dir, kind: 'skills', from: 'project' }]);
}
