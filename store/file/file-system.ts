import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { promisify } from 'node:util';

/** Only the user who runs the worker can read stored files. */
export const fileMode = 0o600;
/** Only the user who runs the worker can enter the store's folders. */
export const folderMode = 0o700;

/** Where a file system is. */
export interface Place {
  /** Whether it is on this machine, so that a call that needs no disk can't take long. Default: false. */
  readonly local?: boolean;
}

/** The file system calls that the driver makes. Tests replace some of them to simulate crashes and full disks. */
export interface FileSystem {
  /** With `flush`, returns when the bytes are on the disk. */
  writeFile(path: string, bytes: Uint8Array, options: { flag: 'wx'; mode: number; flush?: true }): Promise<void>;
  /** Creates a file and leaves it open, so that it can be written and synced later. */
  create(path: string, options: { mode: number }): Promise<number>;
  /** Writes all bytes to a new file on this machine. */
  write(descriptor: number, bytes: Uint8Array): Promise<void>;
  readFile(path: string, place?: Place): Promise<Buffer>;
  /** Opens a folder or a file for a sync. */
  open(path: string, flags: 'r', place?: Place): Promise<number>;
  fsync(descriptor: number): Promise<void>;
  close(descriptor: number): Promise<void>;
  stat(path: string, place?: Place): Promise<fs.Stats>;
  /** Returns the kind of the file system, as a number of the operating system. */
  statfs(path: string): Promise<{ readonly type: number }>;
  mkdir(path: string, options: { mode: number }): Promise<unknown>;
  readdir(path: string): Promise<string[]>;
  readdir(path: string, options: { withFileTypes: true }): Promise<fs.Dirent[]>;
  rename(from: string, to: string): Promise<void>;
  link(existing: string, added: string, place?: Place): Promise<void>;
  unlink(path: string, place?: Place): Promise<void>;
  rm(path: string, options: { recursive: true; force: true }): Promise<void>;
}

// What only looks at or changes the memory of the system takes microseconds. Handing it to another thread takes many times
// longer, most of all on a busy machine, and most of that is time of the thread that hands it over. So names are looked up,
// added and removed, and small files are written and closed at once, if they are on this machine: a file server might not
// answer. Whatever waits for the disk has a thread of its own. A new file does: it may have to wait for somebody's sync.
const writeLater = promisify(fs.write);
const readLater = promisify(fs.readFile);
const openLater: (path: string, flags: string, mode?: number) => Promise<number> = promisify(fs.open);
const statLater: (path: string) => Promise<fs.Stats> = promisify(fs.stat);
const linkLater = promisify(fs.link);
const unlinkLater = promisify(fs.unlink);

/** Larger contents might have to wait until the system has written others to the disk. */
const smallBytes = 64 * 1024;

async function write(descriptor: number, bytes: Uint8Array): Promise<void> {
  for (let from = 0; from < bytes.byteLength;) {
    const isSmall = bytes.byteLength <= smallBytes;
    from += isSmall ? fs.writeSync(descriptor, bytes, from) : (await writeLater(descriptor, bytes, from)).bytesWritten;
  }
}

/** Most files that are looked for don't exist, which takes no other thread to find out. */
async function readFile(path: string, { local = false }: Place = {}): Promise<Buffer> {
  if (!local) return readLater(path);
  const descriptor = fs.openSync(path, 'r');
  try {
    return await readLater(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

function close(descriptor: number): Promise<void> {
  return atOnce(() => {
    fs.closeSync(descriptor);
  });
}

/** Does the work before it returns. An error rejects the promise. */
function atOnce<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(work());
  });
}

// Does not use `fs/promises`: its file handles make a small file cost the main thread nearly twice as much.
/** The real file system. */
export const realFiles: FileSystem = {
  writeFile: promisify(fs.writeFile),
  create: (path, { mode }) => openLater(path, 'wx', mode),
  write,
  readFile,
  open: (path, flags, place) =>
    place?.local === true ? atOnce(() => fs.openSync(path, flags)) : openLater(path, flags),
  fsync: promisify(fs.fsync),
  close,
  stat: (path, place) => (place?.local === true ? atOnce(() => fs.statSync(path)) : statLater(path)),
  statfs: promisify(fs.statfs),
  mkdir: promisify(fs.mkdir),
  readdir: promisify(fs.readdir),
  rename: promisify(fs.rename),
  link: (existing, added, place) =>
    place?.local === true
      ? atOnce(() => {
          fs.linkSync(existing, added);
        })
      : linkLater(existing, added),
  unlink: (path, place) =>
    place?.local === true
      ? atOnce(() => {
          fs.unlinkSync(path);
        })
      : unlinkLater(path),
  rm: promisify(fs.rm),
};

/**
 * The real file system for a program that reads thousands of small files and does nothing meanwhile. Reading one takes
 * a fraction of the time, but blocks the process, so it is not for workers.
 */
export const blockingFiles: FileSystem = {
  ...realFiles,
  readFile: (path) => Promise.resolve(path).then((found) => fs.readFileSync(found)),
};

/** Returns a unique file name that `cleanUp` recognizes as temporary. */
export const temporaryName = (): string => `${randomUUID()}.tmp`;

/** Writes a new file and returns when its bytes are on the disk. On failure, removes the incomplete file. */
export async function writeDurably(files: FileSystem, path: string, bytes: Uint8Array): Promise<void> {
  try {
    await files.writeFile(path, bytes, { flag: 'wx', mode: fileMode, flush: true });
  } catch (error) {
    await removeQuietly(files, path);
    throw error;
  }
}

/** Removes a file that is no longer needed, ignoring errors. A later clean-up removes what is left. */
export async function removeQuietly(files: FileSystem, path: string): Promise<void> {
  await files.unlink(path).catch(() => undefined);
}
