import { join } from 'node:path';
import { fileMode, type FileSystem, removeQuietly, temporaryName } from './file-system';

/**
 * File systems of one machine, by the numbers that Linux gives them. What is written there is seen by every process at
 * once. On a network, another machine might see a name whose content has not been sent yet.
 */
const localFileSystems: ReadonlySet<number> = new Set([
  0xef53, // ext4
  0x58465342, // xfs
  0x9123683e, // btrfs
  0x2fc12fc1, // zfs
  0xf2f52010, // f2fs
  0xca451a4e, // bcachefs
  0x794c7630, // overlayfs
  0x01021994, // tmpfs
]);

/**
 * Finds out whether a file can be published before it is synced: its folder must be on a local file system that supports
 * hard links and counts the names of a file.
 */
export async function canPublish(root: string, files: FileSystem): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const { type } = await files.statfs(root);
  return localFileSystems.has(type) && (await showsLinks(root, files));
}

async function showsLinks(root: string, files: FileSystem): Promise<boolean> {
  const [written, linked] = [join(root, temporaryName()), join(root, temporaryName())];
  const descriptor = await files.create(written, { mode: fileMode });
  try {
    await files.write(descriptor, Buffer.from(written));
    await files.link(written, linked);
    const [{ nlink }, found] = await Promise.all([files.stat(linked), files.readFile(linked)]);
    return nlink === 2 && found.toString() === written;
  } finally {
    await Promise.all([files.close(descriptor), removeQuietly(files, written), removeQuietly(files, linked)]);
  }
}
