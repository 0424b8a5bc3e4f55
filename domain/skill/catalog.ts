import { type Diagnostic, type LoadedSkill, type SkillFolder, UnknownSkillError } from './loaded-skill';

/** All available skills. `get` throws an `UnknownSkillError` for an unknown name. */
export interface SkillCatalog {
  /** Sorted by name. */
  readonly skills: readonly LoadedSkill[];
  readonly findings: readonly Diagnostic[];
  get(name: string): LoadedSkill;
}

/** Merges the skills of several folders. A skill replaces a skill of the same name in an earlier folder. */
export function buildSkillCatalog(folders: readonly SkillFolder[]): SkillCatalog {
  const { entries, findings, find } = mergeByName<LoadedSkill>(
    'skill',
    ({ skill }) => skill.name,
    folders.map((folder) => ({ entries: folder.skills, findings: folder.findings })),
  );
  return {
    skills: entries,
    findings,
    get(name) {
      const found = find(name);
      if (found !== undefined) return found;
      throw new UnknownSkillError(
        name,
        entries.map(({ skill }) => skill.name),
      );
    },
  };
}

interface FromFile {
  readonly file: string;
  readonly from: 'shipped' | 'project';
}

interface Folder<Entry> {
  readonly entries: readonly Entry[];
  readonly findings: readonly Diagnostic[];
}

/** The merged entries of several folders. `find` returns undefined for an unknown name. */
export interface NamedEntries<Entry> extends Folder<Entry> {
  find(name: string): Entry | undefined;
}

/** Merges the definitions of several folders. An entry replaces an entry of the same name in an earlier folder. */
export function mergeByName<Entry extends FromFile>(
  kind: 'skill' | 'relay',
  nameOf: (entry: Entry) => string,
  folders: readonly Folder<Entry>[],
): NamedEntries<Entry> {
  const named = new Map<string, Entry>();
  const findings: Diagnostic[] = [];
  for (const folder of folders) {
    findings.push(...folder.findings);
    const here = new Map<string, Entry>();
    for (const entry of folder.entries) {
      const name = nameOf(entry);
      const first = here.get(name);
      // Within one folder it is unclear which of two entries with the same name is meant, so the second is an error.
      if (first === undefined) here.set(name, entry);
      else findings.push(about(entry, 'error', `"${name}" is already the name of the ${kind} in ${first.file}`));
    }
    for (const [name, entry] of here) {
      const hidden = named.get(name);
      const whose = hidden?.from === 'shipped' ? `the shipped ${kind}` : `the ${kind}`;
      if (hidden !== undefined)
        findings.push(about(entry, 'notice', `"${name}" replaces ${whose} of the same name in ${hidden.file}`));
      named.set(name, entry);
    }
  }
  const entries = [...named.values()].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  return { entries, findings, find: (name) => named.get(name) };
}

function about({ file }: FromFile, level: Diagnostic['level'], message: string): Diagnostic {
  return { level, file, line: 1, column: 1, field: 'name', message };
}
