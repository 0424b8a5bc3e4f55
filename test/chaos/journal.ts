import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runName } from '../../store/run-name';

/** Returns the names of the calls whose replies are on the disk. None of them may be repeated, whatever dies now. */
export async function journaledCalls(storeDir: string, runId: string): Promise<Set<string>> {
  const journal = join(storeDir, 'runs', runName(runId), 'journal');
  const names = await readdir(journal).catch(() => []);
  const calls = new Set<string>();
  for (const name of names) {
    const file = await readFile(join(journal, name), 'utf8').catch(() => '\n');
    const end = file.indexOf('\n');
    if (!file.slice(0, end).includes('"key":"answer/')) continue;
    const { answer } = JSON.parse(file.slice(end + 1)) as { answer: { content: readonly { text?: string }[] } };
    const text = answer.content.map((block) => block.text ?? '').join('');
    const call = /\[([a-z]+\/\d+\/\w+)\]/.exec(text)?.[1];
    if (call !== undefined) calls.add(call);
  }
  return calls;
}
