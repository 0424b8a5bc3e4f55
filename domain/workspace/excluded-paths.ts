import { anyOf, asComparedElsewhere } from './name-patterns';
import { copyEndings, harmlessFiles, secretFiles } from './secret-files';

/** Folders that belong to other programs: version control, and Baton itself. */
const foreignFolders = '.{git,hg,svn,jj,baton}';

const start = `(?:^|/)(?!${anyOf(harmlessFiles)}(?:/|$))`;
const copies = `${anyOf([copyEndings])}*`;
const excludedNames = new RegExp(
  `${start}${anyOf([foreignFolders, ...secretFiles.flatMap(({ names }) => names)])}${copies}(?:/|$)`,
);
const excludedFiles = new RegExp(`${start}${anyOf(secretFiles.flatMap(({ files = [] }) => files))}${copies}$`);

/**
 * Version control folders. They are never written to, because their files can run as programs on the user's machine.
 * `GIT~1` is the short name that Windows gives to `.git`.
 */
const protectedFolders = /(?:^|\/)(?:\.(?:git|hg|svn|jj)|(?:git|hg|svn|jj)~\d+)(?:\/|$)/;

/** What is known about a path, and what the user has allowed. */
interface ExclusionOptions {
  /** Paths or names that the user explicitly included; each entry also includes everything below it. */
  readonly allowed?: readonly string[];
  /** Whether the path is a folder. Default: false. */
  readonly isFolder?: boolean;
}

/** Returns whether a path is excluded from workspaces, because it may contain secrets or belongs to another program. */
export function isExcludedPath(path: string, { allowed = [], isFolder = false }: ExclusionOptions = {}): boolean {
  const compared = asComparedElsewhere(path);
  if (!excludedNames.test(compared) && (isFolder || !excludedFiles.test(compared))) return false;
  const names = path.split('/');
  return !allowed.some((item) => names.includes(item) || within(path, item) || within(item, path));
}

/** Returns whether a path is inside a version control folder and must not be written. */
export function isProtectedPath(path: string): boolean {
  return protectedFolders.test(asComparedElsewhere(path));
}

/**
 * Whether a path is a folder or below it. `isExcludedPath` also allows folders above an allowed path, which it must enter.
 */
function within(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
