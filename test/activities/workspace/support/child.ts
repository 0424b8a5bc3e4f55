import { importFolder } from '../../../../activities/workspace/import-folder';
import { openFileStore } from '../../../../store/file/open-file-store';

/** Imports a folder in this process. Sends by how many megabytes its memory grew at most, and what was imported. */
async function main([folder = '', storeDir = '']: readonly string[]): Promise<void> {
  const store = (await openFileStore(storeDir)).forRun('r1');
  const before = process.memoryUsage.rss();
  const { files, bytes } = await importFolder(store, folder, { maxTotalBytes: 1024 ** 3 });
  const grown = Math.round(process.resourceUsage().maxRSS / 1024 - before / 1024 ** 2);
  process.send?.({ files, bytes, grown });
}

void main(process.argv.slice(2));
