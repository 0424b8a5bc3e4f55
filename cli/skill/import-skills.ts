import { lstat, readFile, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { plural } from '../../client/format';
import { mcpFileIn, readMcpServers } from '../../definitions/mcp/read-servers';
import { loadSkills } from '../../definitions/skill/load-skills';
import { renderSkillFile } from '../../definitions/skill/render-skill';
import { InvalidInputError } from '../../domain/kernel';
import type { ImportRequest, LoadedSkill, ServedDefinition, SkillDefinition } from '../../domain/skill';
import { CliError, exitCodes, type Terminal } from '../context';
import { writeInside } from '../workspace/write-inside';
import type { ReadServed } from './read-served';

/** Options of `baton skills import`. */
export interface ImportOptions {
  readonly mcp: string;
  readonly mcpConfig?: string;
  readonly prompts?: true;
  readonly skills?: true;
  readonly arg?: readonly string[];
  readonly dir: string;
  readonly dryRun?: true;
  readonly force?: true;
  readonly json?: true;
}

const folder = join('.baton', 'skills');

/** A skill file that is ready to be written. */
interface PlannedFile {
  readonly kind: ServedDefinition['kind'];
  /** Name on the server. */
  readonly from: string;
  readonly skill: SkillDefinition;
  /** Path in the project. */
  readonly file: string;
  readonly text: string;
  readonly status: 'new' | 'changed' | 'unchanged';
  readonly remarks: readonly string[];
}

/** Imports prompts and skills of an MCP server. Either all files are written or, if anything is wrong, none. */
export async function importSkills(
  terminal: Terminal,
  names: readonly string[],
  options: ImportOptions,
  read: ReadServed,
): Promise<void> {
  const project = await projectFolder(options.dir);
  const file = await configurationFile(terminal, project, options);
  const served = await read(requestFrom(names, options), { file, project });
  const usable = withoutUnusable(terminal, served, names.length > 0);
  const planned = await planFiles(project, usable, options);
  const isWritten = options.dryRun !== true;
  if (isWritten) {
    for (const { file, text, status } of planned)
      if (status !== 'unchanged') await writeInside(project, file, Buffer.from(text));
  }
  if (options.json === true) terminal.printJson(planned.map(({ skill, ...each }) => ({ name: skill.name, ...each })));
  else report(terminal, planned, isWritten);
}

async function projectFolder(dir: string): Promise<string> {
  const project = await realpath(resolve(dir)).catch(() => undefined);
  if (project === undefined || !(await lstat(project)).isDirectory())
    throw new CliError(exitCodes.misused, `${dir} is not a folder.`, 'Pass the folder of a project with --dir.');
  for (const part of ['.baton', folder]) {
    const found = await lstat(join(project, part)).catch(() => undefined);
    if (found === undefined || found.isDirectory()) continue;
    const what = found.isSymbolicLink() ? 'a symbolic link' : 'not a folder';
    throw new CliError(exitCodes.failed, `Nothing was imported: ${part} is ${what}.`, 'Replace it by a folder.');
  }
  return project;
}

/** Finds the file with the servers. An entry that can't be used is reported, because it may be the one that is missing. */
async function configurationFile(terminal: Terminal, project: string, { mcpConfig }: ImportOptions): Promise<string> {
  const given = mcpConfig ?? process.env['BATON_MCP_CONFIG'];
  const file = given === undefined || given === '' ? mcpFileIn(project) : resolve(given);
  const { exists, problems } = await readMcpServers(file, process.env);
  for (const { server, message } of problems) terminal.note(`warning: ${file}: ${server}: ${message}`);
  if (exists) return file;
  const remedy = 'Add the server to .mcp.json of the project, or pass another file with --mcp-config.';
  throw new CliError(exitCodes.misused, `The file ${file} with MCP servers does not exist.`, remedy);
}

function requestFrom(names: readonly string[], { mcp, prompts, skills, arg = [] }: ImportOptions): ImportRequest {
  const kinds: ServedDefinition['kind'][] = [
    ...(skills === true && prompts !== true ? [] : ['prompt' as const]),
    ...(prompts === true && skills !== true ? [] : ['skill' as const]),
  ];
  return { server: mcp, kinds, names, fixed: fixedArguments(arg) };
}

function fixedArguments(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf('=');
      if (at < 1) throw new InvalidInputError('--arg', `"${text}" has no name and value`, 'Use --arg name=value.');
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}

/** A prompt or skill that can be imported. */
interface Usable extends Omit<ServedDefinition, 'made'> {
  readonly made: Exclude<ServedDefinition['made'], { readonly problem: string }>;
}

/** Leaves out what can't become a skill. Throws if it was named, or if nothing is left. */
function withoutUnusable(
  terminal: Terminal,
  served: readonly ServedDefinition[],
  areNamed: boolean,
): readonly Usable[] {
  const usable: Usable[] = [];
  const problems: string[] = [];
  for (const { made, ...each } of served) {
    if ('problem' in made) problems.push(`${titleOf(each)}: ${made.problem}`);
    else usable.push({ ...each, made });
  }
  if (problems.length > 0 && (areNamed || usable.length === 0))
    throw new CliError(exitCodes.failed, `Nothing was imported: ${problems.join('; ')}.`);
  for (const problem of problems) terminal.note(`Skipped the ${problem}.`);
  return usable;
}

function titleOf({ kind, name }: Pick<ServedDefinition, 'kind' | 'name'>): string {
  return `${kind} ${JSON.stringify(name)}`;
}

/** Decides which files to write. Throws if one of them must not be written. */
async function planFiles(
  project: string,
  usable: readonly Usable[],
  options: ImportOptions,
): Promise<readonly PlannedFile[]> {
  if (usable.length === 0)
    throw new CliError(exitCodes.failed, `The MCP server "${options.mcp}" has no prompts and no skills.`);
  const problems: string[] = [];
  const existing = await loadSkills(project);
  const planned: PlannedFile[] = [];
  for (const { kind, name, made } of usable) {
    const { value, remarks } = made;
    const { skill, text } = renderSkillFile(value);
    const file = join(folder, `${skill.name}.yaml`);
    const status = await compare(join(project, file), text);
    const other = planned.find((each) => isSameName(each.skill.name, skill.name));
    const clash =
      other === undefined
        ? clashWith(existing.skills, skill, file, status, options.force === true)
        : `${titleOf({ kind: other.kind, name: other.from })} would have the same name; import only one of them`;
    if (clash !== undefined) problems.push(`${titleOf({ kind, name })}: ${clash}`);
    planned.push({ kind, from: name, skill, file, text, status, remarks });
  }
  if (problems.length === 0) return planned;
  throw new CliError(
    exitCodes.failed,
    `Nothing was imported: ${problems.join('; ')}.`,
    'Name those that you want to import, or replace the skills that exist with --force.',
  );
}

/** Why a skill can't be written; undefined when it can. */
function clashWith(
  existing: readonly LoadedSkill[],
  { name }: SkillDefinition,
  file: string,
  status: PlannedFile['status'],
  isForced: boolean,
): string | undefined {
  if (status === 'unchanged') return undefined;
  const found = existing.find(({ skill }) => isSameName(skill.name, name));
  if (found === undefined) return status === 'changed' && !isForced ? `${file} exists already` : undefined;
  // Another file of the same folder would still define the skill.
  const isBeside = found.file.startsWith(folder) && found.file !== file;
  if (isForced && !isBeside) return undefined;
  return `${found.from === 'shipped' ? 'Baton ships a skill' : `${found.file} defines a skill`} "${found.skill.name}" already`;
}

/** Some file systems don't distinguish case. */
function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

async function compare(path: string, text: string): Promise<PlannedFile['status']> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return 'new';
  return found.isFile() && (await readFile(path, 'utf8')) === text ? 'unchanged' : 'changed';
}

function report(terminal: Terminal, planned: readonly PlannedFile[], isWritten: boolean): void {
  for (const { kind, from, file, text, status, remarks } of planned) {
    terminal.print(`${file}: ${status}, from the ${kind} ${JSON.stringify(from)}`);
    for (const remark of remarks) terminal.print(`  - ${remark}`);
    if (!isWritten) terminal.print(text);
  }
  if (!isWritten) terminal.note('Nothing was written: --dry-run.');
  const written = planned.filter(({ status }) => status !== 'unchanged').length;
  if (isWritten && written > 0) terminal.note(`Wrote ${plural(written, 'file')}. Read them before you use them.`);
}
