import { join } from 'node:path';
import { mapWithLimit } from '../../domain/kernel';
import {
  type LoadedRelay,
  parseRelay,
  type RelayCatalog,
  type RelayFolder,
  relayHash,
  UnknownRelayError,
} from '../../domain/relay';
import { checkRelaySkills, type FindSkill } from '../../domain/relay/prepare';
import { mergeByName, type SkillCatalog } from '../../domain/skill';
import { aboutFile, atFields, readDefinition, readSafely } from '../diagnostics';
import { type DefinitionFolder, maxOpenFiles, namesIn, readDefinitionFile } from '../read-text';
import { shippedSkills } from '../skill/load-skills';

/** A folder of relay files. */
export interface RelayFolderToRead extends DefinitionFolder {
  /** The folder's path as shown in diagnostics. */
  readonly shownAs: string;
  readonly from: LoadedRelay['from'];
}

/** The relays that Baton ships with. */
export function shippedRelays(): RelayFolderToRead {
  const { path, shownAs, from } = shippedSkills();
  return { path: join(path, 'relays'), shownAs: join(shownAs, 'relays'), from };
}

/** The folder of a project's own relays. */
export function projectRelays(project: string): RelayFolderToRead {
  const shownAs = join('.baton', 'relays');
  return { path: join(project, shownAs), within: project, shownAs, from: 'project' };
}

/**
 * Loads relays and checks each against the skills that its steps use. Where names collide, later folders take
 * precedence.
 */
export async function loadRelays(
  folders: readonly RelayFolderToRead[],
  { skills }: Pick<SkillCatalog, 'skills'>,
): Promise<RelayCatalog> {
  const find: FindSkill = (name) => skills.find(({ skill }) => skill.name === name)?.skill;
  const read = await Promise.all(folders.map((folder) => readRelayFolder(folder, find)));
  const {
    entries,
    findings,
    find: named,
  } = mergeByName<LoadedRelay>(
    'relay',
    ({ relay }) => relay.name,
    read.map((folder) => ({ entries: folder.relays, findings: folder.findings })),
  );
  return {
    relays: entries,
    findings,
    get(name) {
      const found = named(name);
      if (found !== undefined) return found;
      throw new UnknownRelayError(
        name,
        entries.map(({ relay }) => relay.name),
      );
    },
  };
}

async function readRelayFolder(folder: RelayFolderToRead, find: FindSkill): Promise<RelayFolder> {
  const { names, problem } = await namesIn(folder);
  const read = await mapWithLimit(names, maxOpenFiles, (name) =>
    readRelayFile(join(folder.path, name), join(folder.shownAs, name), folder.from, find),
  );
  const own = problem === undefined ? [] : [aboutFile(folder.shownAs, 'error', problem)];
  return {
    relays: read.flatMap(({ relays }) => relays),
    findings: [...own, ...read.flatMap(({ findings }) => findings)],
  };
}

function failed(findings: RelayFolder['findings']): RelayFolder {
  return { relays: [], findings };
}

/** Reads one relay file. `file` is its path as shown in diagnostics. */
export async function readRelayFile(
  path: string,
  file: string,
  from: LoadedRelay['from'],
  find: FindSkill,
): Promise<RelayFolder> {
  if (!/\.(?:ya?ml|json)$/.test(file))
    return failed([aboutFile(file, 'notice', 'is ignored: its name does not end in .yaml, .yml or .json')]);
  return readSafely(
    file,
    async () => {
      const read = await readDefinitionFile(path);
      if ('problem' in read) return failed([aboutFile(file, 'error', read.problem)]);
      return readRelay({ text: read.text, file, from }, find);
    },
    failed,
  );
}

/** The text of a relay file and its origin. */
interface RelayText {
  readonly text: string;
  /** The file's path as shown in diagnostics. */
  readonly file: string;
  readonly from: LoadedRelay['from'];
}

/** Parses a relay file. Returns the relay if its steps match their skills, otherwise errors. */
function readRelay({ text, file, from }: RelayText, find: FindSkill): RelayFolder {
  const read = readDefinition(text, file);
  if ('errors' in read) return failed(read.errors);
  const parsed = parseRelay(read.value);
  const problems = parsed.ok ? checkRelaySkills(parsed.relay, find) : parsed.problems;
  if (!parsed.ok || problems.length > 0) {
    return failed(atFields(file, 'error', problems, read.locate));
  }
  return { relays: [{ relay: parsed.relay, hash: relayHash(parsed.relay), file, from }], findings: [] };
}
