import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildSkillCatalog, type SkillCatalog } from '../../domain/skill';
import { readSkillFolder, type FolderToRead } from './read-folder';

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
    return { path: join(project, ...parts), shownAs: join(...parts), kind, from: 'project' };
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
