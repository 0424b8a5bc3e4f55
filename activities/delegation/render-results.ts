import {
  fitResults,
  joinResultLines,
  parseResultLines,
  renderHeading,
  renderResultLines,
  resultArray,
  type SubagentResult,
} from '../../domain/delegation';
import type { FinishResultsInput, RenderedResults, RenderResultsInput } from '../../domain/delegation/prepare';
import { canonicalJson } from '../../domain/kernel';
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
  const { previous, results, structured } = input;
  const artifacts: { name: string; ref: BlobRef }[] = [];
  const shown = await Promise.all(
    results.map(async (result) => {
      const { success, error } = result;
      return { output: await shownOutput(store, result, structured, artifacts), success, error };
    }),
  );
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

async function shownOutput(
  store: RunStore,
  result: SubagentResult,
  structured: boolean,
  artifacts: { name: string; ref: BlobRef }[],
): Promise<string> {
  if (!result.success) return '';
  const output = await readSpilled(store, result.output, `output of ${result.delegationId}`);
  const text = structured ? canonical(output) : output;
  const bytes = Buffer.from(text);
  if (bytes.length <= maxOutputBytes) return text;
  const name = `${result.delegationId}/output.md`;
  artifacts.push({ name, ref: await store.put(bytes, mediaTypes.text) });
  return `${cut(text, headBytes)}\n[cut here: ${bytes.length} bytes in total; read the rest with read_artifact "${name}"]`;
}

/** Converts a structured answer, with or without a code fence, to canonical JSON, so that equal answers look equal. */
function canonical(text: string): string {
  const block = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text;
  try {
    return canonicalJson(JSON.parse(block));
  } catch {
    return text;
  }
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
