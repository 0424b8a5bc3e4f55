import { maxToolResultBytes, minToolResultBytes } from '../../domain/handoff/result-bytes';
import { mediaTypes } from '../../domain/store/blob-ref';
import type { RunStore } from '../../domain/store/store';
import type { SessionEvent } from '../../domain/tool/event';

/** Maximum bytes shown of a result that is too long. */
const maxHeadBytes = 16 * 1024;
const shortHash = 12;

/** Size limit of a tool result, and whom its artifact is attributed to. */
export interface ResultLimit {
  readonly tool: string;
  /** Workflow id of the calling agent, as written to session records. */
  readonly agent: string;
  readonly maxBytes: number;
}

/** A result within the limit, and the event that records its artifact. */
export interface LimitedResult {
  readonly message: string;
  readonly events: readonly SessionEvent[];
}

/** Clamps a requested limit to the bounds that apply to all results. */
export function resultByteLimit(wanted: number = maxToolResultBytes): number {
  return Math.min(maxToolResultBytes, Math.max(minToolResultBytes, wanted));
}

/** Stores a result that is too long as an artifact. The model sees its beginning, its size and how to read the rest. */
export async function truncateResult(
  store: RunStore,
  { tool, agent, maxBytes }: ResultLimit,
  message: string,
): Promise<LimitedResult> {
  const bytes = Buffer.from(message, 'utf8');
  if (bytes.length <= maxBytes) return { message, events: [] };
  const { hash, mediaType } = await store.put(bytes, mediaTypes.text);
  // Named after its content, so that two calls with the same id, or two agents, never overwrite each other's results.
  const name = `results/${tool}-${hash.slice(0, shortHash)}.txt`;
  const head = headOf(bytes, Math.min(maxHeadBytes, Math.floor(maxBytes / 2)));
  const rest = `the full result is ${bytes.length} bytes. Continue with read_artifact "${name}", from_character ${head.length}, or request a smaller part.`;
  const value = { name, ref: { hash, bytes: bytes.length, mediaType }, by: agent };
  return { message: `${head}\n[cut here: ${rest}]`, events: [{ type: 'artifactWritten', value }] };
}

function headOf(bytes: Buffer, length: number): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, length)).replace(/\uFFFD$/, '');
}
