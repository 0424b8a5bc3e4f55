import * as fs from 'node:fs';
import { promisify } from 'node:util';

export const fileMode = 0o600;
export const folderMode = 0o700;

/** The calls that the driver makes. Tests replace single ones, to see what a crash or a full disk leaves behind. */
export interface FileSystem {
  /** Flushed: the bytes are on the disk when it returns. */
  writeFile(path: string, bytes: Uint8Array, options: { flag: 'wx'; mode: number; flush: true }): Promise<void>;
  readFile(path: string): Promise<Buffer>;
  /** Of folders, which can only be synced through a descriptor. */
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

// Not `fs/promises`: with its file handles, a small file costs the main thread nearly twice as much.
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
