import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import type { CommandRequest } from './confinement';

/** Where commands see the copy of the workspace. */
export const workspaceMount = '/workspace';

/** What commands see of the host, besides the copy of the workspace. All of it is read-only. */
export interface VisibleSystem {
  /** Programs and libraries. */
  readonly folders: readonly string[];
  /** Folders below those which commands must not see, such as the store. */
  readonly hidden: readonly string[];
  /** Files that replace those of the host, by path: the list of users must not tell who the host's users are. */
  readonly files: Readonly<Record<string, string>>;
}

/** Top-level names that are links into /usr on most systems, and folders on others. */
const topLevel = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

/** Settings of the host that programs need and that tell nothing about its users. */
const publicSettings = [
  'alternatives',
  'ca-certificates',
  'ca-certificates.conf',
  'host.conf',
  'java-17-openjdk',
  'java-21-openjdk',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'mime.types',
  'nsswitch.conf',
  'os-release',
  'pki',
  'protocols',
  'services',
  'ssl',
  'timezone',
];

/** Settings of the host that only programs with network access need. */
const networkSettings = ['resolv.conf', 'gai.conf'];

/** Returns the folders with the programs of the host: /usr, that of Node.js, and those that a worker adds. */
export function systemFolders(added: readonly string[]): string[] {
  const all = ['/usr', ...nodeFolders(), ...added.map((folder) => realpathSync(folder))];
  return all.filter(
    (folder, index) => existsSync(folder) && !all.slice(0, index).some((other) => isWithin(folder, other)),
  );
}

/** Node.js may be installed below a home folder, of which commands must see nothing else. */
function nodeFolders(): string[] {
  const program = realpathSync(process.execPath);
  const installation = dirname(dirname(program));
  return [existsSync(join(installation, 'lib', 'node_modules')) ? installation : program];
}

/** Returns the entries of a PATH that commands can see. */
export function visiblePath(path: string, folders: readonly string[]): string {
  const entries = [dirname(realpathSync(process.execPath)), ...path.split(':'), '/usr/local/bin', '/usr/bin', '/bin'];
  const roots = [...folders, ...topLevel];
  const seen = entries.filter((entry) => roots.some((root) => isWithin(entry, root)));
  return [...new Set(seen)].join(':');
}

/** Returns whether a path is a folder or below it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

/** Builds the arguments of `bwrap`, without the program that it runs. Its reports go to file descriptor 3. */
export function bwrapArguments(request: CommandRequest, system: VisibleSystem, version: string): string[] {
  const { limits, network } = request;
  const tmpBytes = String(limits.tmpBytes);
  return [
    '--unshare-all',
    '--unshare-user',
    ...(network ? ['--share-net'] : []),
    // Without capabilities, and without the means to get them back in a namespace of its own.
    ...(isAtLeast(version, 0, 8) ? ['--disable-userns'] : []),
    ...['--uid', '1000', '--gid', '1000', '--cap-drop', 'ALL'],
    ...['--die-with-parent', '--new-session', '--clearenv'],
    ...['--hostname', 'sandbox', '--json-status-fd', '3'],
    ...systemArguments(system, network),
    // Read-only, because the owner of a file below /proc/sys may write to it without any capability.
    ...['--proc', '/proc', '--remount-ro', '/proc'],
    ...['--dev', '/dev', '--size', tmpBytes, '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
    ...['--size', tmpBytes, '--perms', '1777', '--tmpfs', '/tmp'],
    ...['--bind', request.folder, workspaceMount, '--remount-ro', '/'],
    ...['--chdir', join(workspaceMount, request.cwd)],
  ];
}

function isAtLeast(version: string, major: number, minor: number): boolean {
  const [first = 0, second = 0] = version.split('.').map(Number);
  return first > major || (first === major && second >= minor);
}

function systemArguments({ folders, hidden, files }: VisibleSystem, network: boolean): string[] {
  const settings = [...publicSettings, ...(network ? networkSettings : [])];
  return [
    ...folders.flatMap((folder) => ['--ro-bind', folder, folder]),
    ...topLevel.flatMap(topLevelArguments),
    ...['--perms', '0755', '--dir', '/etc'],
    ...settings.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]),
    ...Object.entries(files).flatMap(([path, file]) => ['--ro-bind', file, path]),
    // After the folders that contain them.
    ...hidden.filter((path) => folders.some((folder) => isWithin(path, folder))).flatMap((path) => ['--tmpfs', path]),
  ];
}

function topLevelArguments(path: string): string[] {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  return found.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
}
