import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runName } from '../../store/run-name';
import type { Harness } from '../support/harness';

/** Returns the names of the calls whose replies are on the disk. None of them may be repeated, whatever dies now. */
export async function journaledCalls({ folder }: Harness, runId: string): Promise<Set<string>> {
  const journal = join(folder, 'store', 'runs', runName(runId), 'journal');
  const names = await readdir(journal).catch(() => []);
  const calls = new Set<string>();
  for (const name of names) {
    const file = await readFile(join(journal, name), 'utf8');
    const end = file.indexOf('\n');
    const { key } = JSON.parse(file.slice(0, end)) as { key: string };
    if (!key.startsWith('answer/')) continue;
    const { answer } = JSON.parse(file.slice(end + 1)) as { answer: { content: readonly { text?: string }[] } };
    const text = answer.content.map((block) => block.text ?? '').join('');
    calls.add(/^\[(.*?)\]/.exec(text)?.[1] ?? key);
  }
  return calls;
}
