import { renderHeading, renderResult, type SubagentResult } from '../../domain/delegation';
import type { FinishResultsInput, RenderedResults, RenderResultsInput } from '../../domain/delegation/prepare';
import { type BlobRef, mediaTypes, type RunStore } from '../../domain/store';
import { decodeUtf8, readSpilled } from '../../store/blobs';
import { runStoreFor, type SharedDependencies } from '../dependencies';

/** Maximum bytes of one output that is shown in full, and bytes shown of a longer one. */
const maxOutputBytes = 4 * 1024;
const headBytes = 1024;

/** Renders results of a batch as text for the parent's model, and appends them to what was rendered before. */
export async function renderResults(
  { store: stores }: SharedDependencies,
  input: RenderResultsInput,
): Promise<RenderedResults> {
  const store = runStoreFor(stores, input);
  const { previous, results, from, total } = input;
  const artifacts: { name: string; ref: BlobRef }[] = [];
  const texts = await Promise.all(
    results.map(async (result, index) => {
      const output = await shownOutput(store, result, artifacts);
      return renderResult(result, output, from + index + 1, total);
    }),
  );
  const before = previous === null ? '' : await textOf(store, previous);
  const text = [before, ...texts].filter((part) => part !== '').join('\n\n');
  return { ref: await store.put(Buffer.from(text), mediaTypes.text), artifacts };
}

/** Adds the heading. A text that exceeds `maxBytes` becomes an artifact, and only its beginning is returned. */
export async function finishResults(
  { store: stores }: SharedDependencies,
  { ref, outcomes, maxBytes, name, ...location }: FinishResultsInput,
): Promise<RenderedResults> {
  const store = runStoreFor(stores, location);
  const text = `${renderHeading(outcomes.map((success) => ({ success })))}\n\n${await textOf(store, ref)}`;
  const bytes = Buffer.from(text);
  const whole = await store.put(bytes, mediaTypes.text);
  if (bytes.length <= maxBytes) return { ref: whole, artifacts: [] };
  const head = `${cut(text, maxBytes / 2)}\n[cut here: all results together are ${bytes.length} bytes; read the rest with read_artifact "${name}"]`;
  return { ref: await store.put(Buffer.from(head), mediaTypes.text), artifacts: [{ name, ref: whole }] };
}

async function shownOutput(
  store: RunStore,
  result: SubagentResult,
  artifacts: { name: string; ref: BlobRef }[],
): Promise<string> {
  if (!result.success) return '';
  const text = await readSpilled(store, result.output, `output of ${result.delegationId}`);
  const bytes = Buffer.from(text);
  if (bytes.length <= maxOutputBytes) return text;
  const name = `${result.delegationId}/output.md`;
  artifacts.push({ name, ref: await store.put(bytes, mediaTypes.text) });
  return `${cut(text, headBytes)}\n[cut here: ${bytes.length} bytes in total; read the rest with read_artifact "${name}"]`;
}

function cut(text: string, bytes: number): string {
  return Buffer.from(text)
    .subarray(0, bytes)
    .toString('utf8')
    .replace(/\uFFFD+$/, '');
}

async function textOf(store: RunStore, ref: BlobRef): Promise<string> {
  return decodeUtf8(await store.get(ref, 'results of a batch')) ?? '';
}
