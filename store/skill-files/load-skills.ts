import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { catalogueOf, type SkillCatalogue } from '../../domain/skill';
import { readSkillFolder, type FolderToRead } from './read-folder';

/** The package's own folder of skills; the code stands deeper when it is compiled. */
export function shippedSkills(): FolderToRead {
  let root = __dirname;
  while (!existsSync(join(root, 'package.json')) && dirname(root) !== root) root = dirname(root);
  return { path: join(root, 'skills'), shownAs: 'skills', kind: 'skills', from: 'shipped' };
}

/** Folders of a project that hold skills, weakest first. Baton's own format is the strongest: it was written for Baton. */
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

/** The skills that a project has: the shipped ones, and its own in their place where the names are the same. */
export async function loadSkills(project: string): Promise<SkillCatalogue> {
  return loadFolders([shippedSkills(), ...projectSkills(project)]);
}

export async function loadFolders(folders: readonly FolderToRead[]): Promise<SkillCatalogue> {
  return catalogueOf(await Promise.all(folders.map(readSkillFolder)));
}
