import {
  fitResults,
  joinResultLines,
  type NamedArtifact,
  parseResultLines,
  renderHeading,
  renderResultLines,
  resultArray,
  type ShownResult,
} from '../../domain/delegation';
import type { FinishResultsInput, RenderedResults, RenderResultsInput } from '../../domain/delegation/prepare';
import { type BlobRef, mediaTypes, type RunStore } from '../../domain/store';
import { decodeUtf8, readSpilled } from '../../store/blobs';
import { runStoreFor, type SharedDependencies } from '../dependencies';

/** Maximum bytes of one output that is shown in full, and bytes shown of a longer one. */
const maxOutputBytes = 4 * 1024;
const headBytes = 1024;

/** Renders results of a batch as JSON for the parent's model, and appends them to what was rendered before. */
export async function renderResults(
  { store: stores }: SharedDependencies,
  input: RenderResultsInput,
): Promise<RenderedResults> {
  const store = runStoreFor(stores, input);
  const { previous, results, maxArtifacts = results.length } = input;
  const artifacts: NamedArtifact[] = [];
  const shown: ShownResult[] = [];
  for (const { delegationId, success, error, output } of results) {
    const text = success ? await readSpilled(store, output, `output of ${delegationId}`) : '';
    const kept = await keepLong(store, delegationId, text, artifacts.length < maxArtifacts);
    if (kept.artifact !== undefined) artifacts.push(kept.artifact);
    shown.push({ output: kept.output, success, error });
  }
  const before = previous === null ? '' : await textOf(store, previous);
  const lines = joinResultLines(before, renderResultLines(shown));
  return { ref: await store.put(Buffer.from(lines), mediaTypes.text), artifacts };
}

/** Completes the array and adds the heading. An array that exceeds `maxBytes` becomes an artifact and is shortened. */
export async function finishResults(
  { store: stores }: SharedDependencies,
  { ref, outcomes, maxBytes, name, ...location }: FinishResultsInput,
): Promise<RenderedResults> {
  const store = runStoreFor(stores, location);
  const heading = renderHeading(outcomes);
  const lines = await textOf(store, ref);
  const whole = Buffer.from(resultArray(lines));
  if (whole.length <= maxBytes) {
    return { ref: await store.put(Buffer.from(`${heading}\n\n${whole.toString()}`), mediaTypes.text), artifacts: [] };
  }
  const shown = fitResults(parseResultLines(lines), maxBytes, name);
  const text = [
    heading,
    resultArray(renderResultLines(shown)),
    `${coverage(shown.length, outcomes.length)} Read all of them, one per line, with read_artifact "${name}".`,
  ].join('\n\n');
  return {
    ref: await store.put(Buffer.from(text), mediaTypes.text),
    artifacts: [{ name, ref: await store.put(whole, mediaTypes.json) }],
  };
}

function coverage(shown: number, all: number): string {
  return shown === all ? 'Some outputs were cut.' : `Only the first ${shown} of ${all} results are shown.`;
}

/** Cuts a long output, and stores it as an artifact if the parent's session has room for one more. */
async function keepLong(
  store: RunStore,
  delegationId: string,
  whole: string,
  hasRoom: boolean,
): Promise<{ readonly output: string; readonly artifact?: NamedArtifact }> {
  const bytes = Buffer.from(whole);
  if (bytes.length <= maxOutputBytes) return { output: whole };
  const head = `${cut(whole, headBytes)}\n[cut here: ${bytes.length} bytes in total;`;
  if (!hasRoom) return { output: `${head} your session has no room for an artifact with the rest]` };
  const artifact = { name: `${delegationId}/output.md`, ref: await store.put(bytes, mediaTypes.text) };
  return { output: `${head} read the rest with read_artifact "${artifact.name}"]`, artifact };
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
