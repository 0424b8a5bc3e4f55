import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { promisify } from 'node:util';

/** Only the user who runs the worker can read stored files. */
export const fileMode = 0o600;
/** Only the user who runs the worker can enter the store's folders. */
export const folderMode = 0o700;

/** The file system calls that the driver makes. Tests replace some of them to simulate crashes and full disks. */
export interface FileSystem {
  /** With `flush`, returns when the bytes are on the disk. */
  writeFile(path: string, bytes: Uint8Array, options: { flag: 'wx'; mode: number; flush?: true }): Promise<void>;
  /** Writes a new file, on this machine, and leaves it open, so that it can be synced later. */
  writeOpen(path: string, bytes: Uint8Array, options: { mode: number }): Promise<number>;
  readFile(path: string): Promise<Buffer>;
  /** Opens a folder or a file for a sync. */
  open(path: string, flags: 'r'): Promise<number>;
  fsync(descriptor: number): Promise<void>;
  close(descriptor: number): Promise<void>;
  stat(path: string): Promise<fs.Stats>;
  /** Returns the kind of the file system, as a number of the operating system. */
  statfs(path: string): Promise<{ readonly type: number }>;
  mkdir(path: string, options: { mode: number }): Promise<unknown>;
  readdir(path: string): Promise<string[]>;
  readdir(path: string, options: { withFileTypes: true }): Promise<fs.Dirent[]>;
  rename(from: string, to: string): Promise<void>;
  /** With `local`, the file system is on this machine. */
  link(existing: string, added: string, options?: { readonly local: boolean }): Promise<void>;
  unlink(path: string): Promise<void>;
  rm(path: string, options: { recursive: true; force: true }): Promise<void>;
}

// What only changes the memory of the system takes microseconds, and handing it to another thread takes many times longer,
// most of all on a busy machine. So small files are written, linked and closed at once, if they are on this machine: a file
// server might not answer. Whatever waits for the disk has a thread of its own.
const openNew = promisify(fs.open);
const write = promisify(fs.write);
const linkLater = promisify(fs.link);

/** Larger contents might have to wait until the system has written others to the disk. */
const smallBytes = 64 * 1024;

async function writeOpen(path: string, bytes: Uint8Array, { mode }: { mode: number }): Promise<number> {
  const descriptor = await openNew(path, 'wx', mode);
  try {
    for (let from = 0; from < bytes.byteLength;) {
      const isSmall = bytes.byteLength <= smallBytes;
      from += isSmall ? fs.writeSync(descriptor, bytes, from) : (await write(descriptor, bytes, from)).bytesWritten;
    }
    return descriptor;
  } catch (error) {
    await realFiles.close(descriptor).catch(() => undefined);
    throw error;
  }
}

function close(descriptor: number): Promise<void> {
  return atOnce(() => {
    fs.closeSync(descriptor);
  });
}

function link(existing: string, added: string, { local = false } = {}): Promise<void> {
  if (!local) return linkLater(existing, added);
  return atOnce(() => {
    fs.linkSync(existing, added);
  });
}

/** Does the work before it returns. An error rejects the promise. */
function atOnce(work: () => void): Promise<void> {
  return new Promise((resolve) => {
    work();
    resolve();
  });
}

// Does not use `fs/promises`: its file handles make a small file cost the main thread nearly twice as much.
/** The real file system. */
export const realFiles: FileSystem = {
  writeFile: promisify(fs.writeFile),
  writeOpen,
  readFile: promisify(fs.readFile),
  open: promisify(fs.open),
  fsync: promisify(fs.fsync),
  close,
  stat: promisify(fs.stat),
  statfs: promisify(fs.statfs),
  mkdir: promisify(fs.mkdir),
  readdir: promisify(fs.readdir),
  rename: promisify(fs.rename),
  link,
  unlink: promisify(fs.unlink),
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
