import * as nodeFiles from 'node:fs/promises';

/** The calls that the driver makes. Tests replace single ones, to see what a crash or a full disk leaves behind. */
export type FileSystem = Pick<
  typeof nodeFiles,
  'open' | 'readFile' | 'stat' | 'mkdir' | 'readdir' | 'rename' | 'link' | 'unlink' | 'rm'
>;

export const realFiles: FileSystem = nodeFiles;

export const fileMode = 0o600;
export const folderMode = 0o700;
