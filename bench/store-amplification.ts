import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Benchmark } from './runner/benchmark';
import { compared, measured } from './runner/rows';
import { playLongRun } from './support/long-run';
import { TurnProbe } from './support/turn-probe';
import { batonWorker } from './support/workers';

const name = 'store.amplification';

/** Bytes that a long conversation takes in the store, over those of its tool results, which all differ. */
export const storeAmplification: Benchmark = {
  names: [name],
  about: 'Bytes in the store after 500 turns of 20 KB, against the bytes of the tool results.',
  async run(context) {
    const environment = await context.environment('noise');
    const probe = new TurnProbe();
    environment.run(
      await batonWorker(environment, { tools: [probe.tool], watched: probe.watching(environment.model) }),
    );
    const work = context.quick ? { turns: 3, bytes: 2_000 } : { turns: 500, bytes: 20_000 };
    const stored: { readonly bytes: number; readonly files: number }[] = [];
    for (let round = 0; round < context.rounds(1); round += 1) {
      const before = await sizeOf(environment.storeDir);
      await playLongRun(environment, probe, work);
      const { bytes, files } = await sizeOf(environment.storeDir);
      stored.push({ bytes: bytes - before.bytes, files: files - before.files });
      context.log(`${stored.at(-1)!.bytes} bytes in ${stored.at(-1)!.files} files`);
    }
    return [
      compared(
        { name, unit: 'bytes', wants: 'less' },
        stored.map(({ bytes }) => bytes),
        stored.map(() => work.turns * work.bytes),
      ),
      measured(
        { name: `${name}.files`, unit: 'files/turn', wants: 'less' },
        stored.map(({ files }) => files / work.turns),
      ),
    ];
  },
};

async function sizeOf(folder: string): Promise<{ bytes: number; files: number }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  let bytes = 0;
  for (const file of files) bytes += (await stat(join(file.parentPath, file.name))).size;
  return { bytes, files: files.length };
}
