import * as fs from 'node:fs';
import { promisify } from 'node:util';

/** Only the user who runs the worker can read stored files. */
export const fileMode = 0o600;
/** Only the user who runs the worker can enter the store's folders. */
export const folderMode = 0o700;

/** The file system calls that the driver makes. Tests replace some of them to simulate crashes and full disks. */
export interface FileSystem {
  /** Returns when the bytes are on the disk. */
  writeFile(path: string, bytes: Uint8Array, options: { flag: 'wx'; mode: number; flush: true }): Promise<void>;
  readFile(path: string): Promise<Buffer>;
  /** Opens a folder: folders can only be synced through a descriptor. */
  open(path: string, flags: 'r'): Promise<number>;
  fsync(descriptor: number): Promise<void>;
  close(descriptor: number): Promise<void>;
  stat(path: string): Promise<fs.Stats>;
  mkdir(path: string, options: { recursive?: true; mode: number }): Promise<string | undefined>;
  readdir(path: string): Promise<string[]>;
  readdir(path: string, options: { withFileTypes: true }): Promise<fs.Dirent[]>;
  rename(from: string, to: string): Promise<void>;
  link(existing: string, added: string): Promise<void>;
  unlink(path: string): Promise<void>;
  rm(path: string, options: { recursive: true; force: true }): Promise<void>;
}

// Does not use `fs/promises`: its file handles make a small file cost the main thread nearly twice as much.
/** The real file system. */
export const realFiles: FileSystem = {
  writeFile: promisify(fs.writeFile),
  readFile: promisify(fs.readFile),
  open: promisify(fs.open),
  fsync: promisify(fs.fsync),
  close: promisify(fs.close),
  stat: promisify(fs.stat),
  mkdir: promisify(fs.mkdir),
  readdir: promisify(fs.readdir),
  rename: promisify(fs.rename),
  link: promisify(fs.link),
  unlink: promisify(fs.unlink),
  rm: promisify(fs.rm),
};
