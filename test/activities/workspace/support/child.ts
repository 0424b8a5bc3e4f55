import { importFolder } from '../../../../activities/workspace/import-folder';
import { openFileStore } from '../../../../store/file/open-file-store';

/** Imports a folder in this process. Sends by how many megabytes its memory grew at most, and what was imported. */
async function main([folder = '', storeDir = '']: readonly string[]): Promise<void> {
  const store = (await openFileStore(storeDir)).forRun('r1');
  const before = process.memoryUsage.rss();
  // Sampled: the maximum that the system reports includes what the parent process had when it started this one.
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 2);
  const { files, bytes } = await importFolder(store, folder, { maxTotalBytes: 1024 ** 3 });
  clearInterval(timer);
  const grown = Math.round((peak - before) / 1024 ** 2);
  process.send?.({ files, bytes, grown });
}

void main(process.argv.slice(2));
