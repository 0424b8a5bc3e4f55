import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { showFinding, UnknownSkillError, type LoadedSkill, type SkillCatalogue } from '../../domain/skill';
import { loadFolders, loadSkills, projectSkills, shippedSkills } from '../../store/skill-files/load-skills';
import { CliError, exitCodes, type Terminal } from '../cli';
import { listJson, listText, showJson, showText } from '../skills/print';

interface Options {
  readonly json?: true;
  readonly dir: string;
}

/** Skills of this project, without a server. */
export function skillsCommand(terminal: Terminal): Command {
  const commands = [listSkills, checkSkills, showSkill].map((command) => command(terminal));
  const skills = new Command('skills')
    .description('specialised agents defined by files: list, check and show them')
    .addHelpText('after', help);
  for (const command of commands) skills.addCommand(command.exitOverride());
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

function listSkills(terminal: Terminal): Command {
  return new Command('list')
    .description('list the skills that agents can be started with')
    .option('--json', 'print JSON')
    .option('--dir <folder>', 'the project', '.')
    .addHelpText('after', '\nExamples:\n  $ baton skills list\n  $ baton skills list --json | jq -r .[].name\n')
    .action(async ({ json, dir }: Options) => {
      const catalogue = await loadSkills(existing(dir));
      terminal.print(json === true ? listJson(catalogue.skills) : listText(catalogue.skills));
      for (const finding of catalogue.findings) terminal.warn(showFinding(finding));
    });
}

function checkSkills(terminal: Terminal): Command {
  return new Command('check')
    .description('check skill files; exit code 1 when one is wrong')
    .argument('[dir]', 'a project, or a folder of skill files', '.')
    .option('--json', 'print JSON')
    .addHelpText('after', checkHelp)
    .action(async (dir: string, { json }: Options) => {
      const { skills, findings } = await load(existing(dir));
      const errors = findings.filter(({ level }) => level === 'error').length;
      if (json === true) terminal.print(JSON.stringify({ skills: skills.length, errors, findings }));
      else for (const finding of findings) terminal.print(showFinding(finding));
      if (errors > 0)
        throw new CliError(exitCodes.failed, `${errors} ${errors === 1 ? 'problem' : 'problems'} in skill files.`);
      if (json !== true) terminal.print(`${skills.length} ${skills.length === 1 ? 'skill' : 'skills'}, no problems.`);
    });
}

const checkHelp = `
Every finding is a line: file:line:column: error or notice: field: what is wrong. Notices tell what was not mapped from
another program's file, and which skill takes the place of which; they are no problems.

Examples:
  $ baton skills check
  $ baton skills check ../other-project
  $ baton skills check drafts/skills
`;

function showSkill(terminal: Terminal): Command {
  return new Command('show')
    .description('print the definition of a skill, where it is from, its hash and its composite prompt')
    .argument('<name>', 'name of the skill')
    .option('--json', 'print JSON')
    .option('--dir <folder>', 'the project', '.')
    .addHelpText(
      'after',
      '\nExamples:\n  $ baton skills show planner\n  $ baton skills show planner --json | jq -r .hash\n',
    )
    .action(async (name: string, { json, dir }: Options) => {
      const loaded = find(await loadSkills(existing(dir)), name);
      terminal.print(json === true ? showJson(loaded) : showText(loaded));
    });
}

/** A folder that is no project is taken for one of skill files, such as one that is not in its place yet. */
async function load(dir: string): Promise<SkillCatalogue> {
  const folders = projectSkills(dir);
  if (dir === '.' || folders.some(({ path }) => existsSync(path))) return loadSkills(dir);
  return loadFolders([shippedSkills(), { path: dir, shownAs: dir, kind: 'skills', from: 'project' }]);
}

function find(catalogue: SkillCatalogue, name: string): LoadedSkill {
  try {
    return catalogue.get(name);
  } catch (error) {
    if (!(error instanceof UnknownSkillError)) throw error;
    throw new CliError(exitCodes.failed, error.message, 'A file with an error is not listed; see: baton skills check');
  }
}

function existing(dir: string): string {
  if (existsSync(dir)) return dir;
  throw new CliError(exitCodes.misused, `There is no folder ${dir}.`, 'Name a project or a folder of skill files.');
}
