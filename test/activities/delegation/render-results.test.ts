import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finishResults, renderResults } from '../../../activities/delegation/render-results';
import type { SharedDependencies } from '../../../activities/dependencies';
import type { SubagentResult } from '../../../domain/delegation';
import type { RenderedResults } from '../../../domain/delegation/prepare';
import type { Store } from '../../../domain/store';
import { spillText } from '../../../store/blobs';
import { openFileStore } from '../../../store/file/open-file-store';
import { type BatchResult, resultsOf } from '../../support/batches';

describe('the results of a large batch', () => {
  let folder: string;
  let store: Store;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'baton-results-'));
    store = await openFileStore(join(folder, 'store'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const textOf = async ({ ref }: RenderedResults): Promise<string> =>
    Buffer.from(await store.forRun('r1').get(ref, 'test')).toString('utf8');

  /** Renders outputs in chunks of 50, as the workflow does. */
  async function render(outputs: readonly string[], maxBytes: number, maxArtifacts: number) {
    const dependencies = { store } as SharedDependencies;
    const location = { runId: 'r1', storeId: store.id };
    const names: string[] = [];
    let previous: RenderedResults['ref'] | null = null;
    for (let from = 0; from < outputs.length; from += 50) {
      const results = await Promise.all(
        outputs.slice(from, from + 50).map(async (output, index): Promise<SubagentResult> => {
          const delegationId = `d${from + index}`;
          return { delegationId, success: true, output: await spillText(store.forRun('r1'), output), error: null };
        }),
      );
      const left = Math.max(0, maxArtifacts - names.length);
      const part: RenderedResults = await renderResults(dependencies, {
        ...location,
        previous,
        results,
        maxArtifacts: left,
      });
      previous = part.ref;
      names.push(...part.artifacts.map(({ name }) => name));
    }
    const outcomes = outputs.map(() => true);
    const finished = await finishResults(dependencies, {
      ...location,
      ref: previous!,
      outcomes,
      maxBytes,
      name: 'call/results.json',
    });
    return { finished, names, text: await textOf(finished) };
  }

  test('of a thousand children is one valid array in order, bounded, with all of them in an artifact', async () => {
    const outputs = Array.from({ length: 1_000 }, (_, index) => `${index} ${'line\n'.repeat(60)}`);
    const { finished, text } = await render(outputs, 60_000, 1_000);
    expect(Buffer.byteLength(text)).toBeLessThan(60_500);
    const shown = resultsOf({ text });
    expect(shown.length).toBeGreaterThan(100);
    expect(shown.map(({ output }) => output.split(' ')[0])).toEqual(shown.map((_, index) => String(index)));
    expect(text).toMatch(/^All 1000 delegations succeeded\.\n/);
    expect(text).toContain(
      `Only the first ${shown.length} of 1000 results are shown. Read all of them, one per line, with read_artifact "call/results.json".`,
    );
    const whole = JSON.parse(await textOf({ ref: finished.artifacts[0]!.ref, artifacts: [] })) as BatchResult[];
    expect(whole.map(({ output }) => output)).toEqual(outputs);
  });

  test('names an artifact with every long output, as long as the session has room for it', async () => {
    const { names, text } = await render(
      Array.from({ length: 60 }, () => 'x'.repeat(5_000)),
      10_000_000,
      55,
    );
    expect(names).toEqual(Array.from({ length: 55 }, (_, index) => `d${index}/output.md`));
    const notes = resultsOf({ text }).map(({ output }) => output.split('[cut here: 5000 bytes in total; ')[1]);
    expect(notes.slice(0, 55)).toEqual(names.map((name) => `read the rest with read_artifact "${name}"]`));
    expect(new Set(notes.slice(55))).toEqual(new Set(['your session has no room for an artifact with the rest]']));
  });
});
