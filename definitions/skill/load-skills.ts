import { existsSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { mapWithLimit } from '../../domain/kernel';
import {
  buildSkillCatalog,
  type Diagnostic,
  type LoadedSkill,
  type SkillCatalog,
  type SkillFolder,
  type SkillFormat,
} from '../../domain/skill';
import { aboutFile, readSafely } from '../diagnostics';
import { type DefinitionFolder, maxOpenFiles, namesIn, readDefinitionFile } from '../read-text';
import { readSkill } from './read-skill';

/**
 * The folder of skills that Baton ships with. It is found from the package root, because compiled code is one folder
 * deeper than its source.
 */
export function shippedSkills(): FolderToRead {
  let root = __dirname;
  while (!existsSync(join(root, 'package.json')) && dirname(root) !== root) root = dirname(root);
  return { path: join(root, 'skills'), shownAs: 'skills', kind: 'skills', from: 'shipped' };
}

/**
 * The skill folders of a project, in increasing precedence. Baton's own format takes precedence because it was written
 * for Baton.
 */
export function projectSkills(project: string): FolderToRead[] {
  const folders = [
    { parts: ['.claude', 'skills'], kind: 'claude-skills' },
    { parts: ['.claude', 'agents'], kind: 'claude-agents' },
    { parts: ['.baton', 'skills'], kind: 'skills' },
  ] as const;
  return folders.map(({ parts, kind }) => {
    return { path: join(project, ...parts), within: project, shownAs: join(...parts), kind, from: 'project' };
  });
}

/** Loads the shipped skills and those of a project. A project's skill replaces a shipped skill of the same name. */
export async function loadSkills(project: string): Promise<SkillCatalog> {
  return loadFolders([shippedSkills(), ...projectSkills(project)]);
}

/** Loads the skills of several folders. Where names collide, later folders take precedence. */
export async function loadFolders(folders: readonly FolderToRead[]): Promise<SkillCatalog> {
  return buildSkillCatalog(await Promise.all(folders.map(readSkillFolder)));
}

/** A folder of skill files. */
export interface FolderToRead extends DefinitionFolder {
  /** The folder's path as shown in diagnostics. */
  readonly shownAs: string;
  readonly kind: 'skills' | 'claude-agents' | 'claude-skills';
  readonly from: LoadedSkill['from'];
}

/** Reads all skills of a folder, in the order of their file names. Returns none if the folder does not exist. */
async function readSkillFolder(folder: FolderToRead): Promise<SkillFolder> {
  const { names, problem } = await namesIn(folder);
  const read = await mapWithLimit(names, maxOpenFiles, (name) =>
    readSafely(
      join(folder.shownAs, name),
      () => readEntry(folder, name),
      (findings) => ({ skills: [], findings }),
    ),
  );
  const own = problem === undefined ? [] : [failure(folder.shownAs, problem)];
  return {
    skills: read.flatMap(({ skills }) => skills),
    findings: [...own, ...read.flatMap(({ findings }) => findings)],
  };
}

async function readEntry(folder: FolderToRead, name: string): Promise<SkillFolder> {
  const path = join(folder.path, name);
  const shown = join(folder.shownAs, name);
  const stats = await lstat(path);
  if (stats.isDirectory()) {
    if (folder.kind === 'skills' && name === 'relays') return { skills: [], findings: [] };
    const { names: inside, problem } = folder.kind === 'claude-agents' ? { names: [] } : await namesIn({ path });
    if (problem !== undefined) return only(failure(shown, problem));
    if (!inside.includes('SKILL.md')) return only(notice(shown, 'is ignored: the folder has no SKILL.md'));
    const skill = await readOne(join(path, 'SKILL.md'), join(shown, 'SKILL.md'), 'skill-folder', folder.from);
    const others = inside.filter((other) => other !== 'SKILL.md');
    const unmapped = others.map((other) => notice(join(shown, other), 'is ignored: only SKILL.md is read'));
    return { skills: skill.skills, findings: [...skill.findings, ...unmapped] };
  }
  const format = formatOf(folder.kind, name);
  if (format === undefined) return only(notice(shown, 'is ignored: its name is not that of a skill file'));
  return readOne(path, shown, format, folder.from);
}

function formatOf(kind: FolderToRead['kind'], name: string): SkillFormat | undefined {
  if (kind === 'skills') return /\.(?:ya?ml|json)$/.test(name) ? 'baton' : undefined;
  return kind === 'claude-agents' && name.endsWith('.md') ? 'claude-agent' : undefined;
}

async function readOne(
  path: string,
  file: string,
  format: SkillFormat,
  from: LoadedSkill['from'],
): Promise<SkillFolder> {
  const read = await readDefinitionFile(path);
  return 'problem' in read ? only(failure(file, read.problem)) : readSkill({ text: read.text, file, format, from });
}

function only(finding: Diagnostic): SkillFolder {
  return { skills: [], findings: [finding] };
}

function failure(file: string, message: string): Diagnostic {
  return aboutFile(file, 'error', message);
}

function notice(file: string, message: string): Diagnostic {
  return aboutFile(file, 'notice', message);
}
