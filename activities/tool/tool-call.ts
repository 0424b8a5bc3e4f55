import { log } from '@temporalio/activity';
import { maxToolResultBytes, minToolResultBytes } from '../../domain/handoff';
import { redactSecrets } from '../../domain/kernel';
import { artifactsSlice, recordsOf, type Session } from '../../domain/session';
import { maxPayloadBytes, mediaTypes, type RunStore, StoreError } from '../../domain/store';
import type { SessionEvent, ToolResult } from '../../domain/tool';
import type { WorkspaceView } from '../../domain/workspace';
import { measurePayload, spillText } from '../../store/blobs';
import { type Tool, type ToolContext, ToolError, type ToolReturn } from './define-tool';

/** What all calls of a turn share. */
export interface CallEnvironment {
  readonly store: RunStore;
  /** Undefined when the run has no workspace. */
  readonly workspace: WorkspaceView | undefined;
  /** Records of the slices that the tools read. */
  readonly slices: Session['slices'];
  /** Workflow id of the calling agent. */
  readonly agent: string;
  /** Maximum bytes of a result. Default, and upper limit: `maxToolResultBytes`. */
  readonly maxResultBytes: number | undefined;
  /** Paths that other agents changed since this agent last read them. */
  readonly unseen: readonly string[];
  /** Maximum bytes of a result that is returned inline. Default: what history may contain. */
  readonly inlineBytes?: number;
}

/** A call that can be run. */
export interface RunnableCall {
  readonly id: string;
  /** Idempotency key. */
  readonly key: string;
  /** JSON of the parameters. */
  readonly input: string;
}

/** Runs a tool. Its errors become a result for the model, except when it is aborted or the store fails. */
export async function runToolCall(
  tool: Tool,
  { key, input }: RunnableCall,
  { store, workspace, slices, agent, maxResultBytes, unseen }: CallEnvironment,
  signal: AbortSignal,
): Promise<ToolReturn> {
  const context: ToolContext = {
    workspace,
    blobs: store,
    artifacts: recordsOf({ slices }, artifactsSlice),
    slices,
    agent,
    key,
    maxResultBytes: resultByteLimit(maxResultBytes),
    unseen,
    signal,
  };
  try {
    return await tool.run(JSON.parse(input), context);
  } catch (error) {
    if (signal.aborted || error instanceof StoreError) throw error;
    if (error instanceof ToolError) return { isError: true, message: error.message };
    log.warn('Tool failed unexpectedly', { tool: tool.description.name, error });
    return {
      isError: true,
      message: `${tool.description.name} failed: ${redactSecrets(error instanceof Error ? error.message : String(error))}`,
    };
  }
}

/** Stores what a tool returned, and returns its outcome with the session changes that it requests. */
export async function toToolResult(
  { store, agent, maxResultBytes, unseen, inlineBytes }: CallEnvironment,
  { description }: Tool,
  { id }: RunnableCall,
  returned: ToolReturn,
): Promise<ToolResult> {
  const requested = { changes: returned.changes ?? [], events: returned.events ?? [] };
  const fits = measurePayload(requested) <= maxWantedBytes;
  const limit = { tool: description.name, agent, maxBytes: resultByteLimit(maxResultBytes), inlineBytes };
  const execution = await toExecution(store, id, limit, fits ? returned : tooMuch);
  const { read } = returned;
  return read !== undefined && unseen.includes(read) ? { ...execution, seen: [read] } : execution;
}

/**
 * Maximum bytes of the changes that a call requests. They are recorded in history; file contents are stored and don't
 * count.
 */
export const maxWantedBytes = maxPayloadBytes / 2;
const tooMuch: ToolReturn = {
  isError: true,
  message: 'Nothing was changed: this call changes too much at once. Split it into smaller calls.',
};

async function toExecution(
  store: RunStore,
  callId: string,
  limit: ResultLimit,
  { message, isError = false, changes = [], events = [] }: ToolReturn,
): Promise<ToolResult> {
  const limited = await truncateResult(store, limit, message);
  const content = await spillText(store, limited.message, mediaTypes.text, limit.inlineBytes);
  return { outcome: { callId, isError, content }, changes, events: [...events, ...limited.events] };
}

/** Maximum bytes shown of a result that is too long. */
const maxHeadBytes = 16 * 1024;
const shortHash = 12;

/** Size limit of a tool result, and whom its artifact is attributed to. */
interface ResultLimit {
  readonly tool: string;
  /** Workflow id of the calling agent, as written to session records. */
  readonly agent: string;
  readonly maxBytes: number;
  readonly inlineBytes: number | undefined;
}

/** A result within the limit, and the event that records its artifact. */
interface LimitedResult {
  readonly message: string;
  readonly events: readonly SessionEvent[];
}

/** Clamps a requested limit to the bounds that apply to all results. */
function resultByteLimit(wanted: number = maxToolResultBytes): number {
  return Math.min(maxToolResultBytes, Math.max(minToolResultBytes, wanted));
}

/** Stores a result that is too long as an artifact. The model sees its beginning, its size and how to read the rest. */
async function truncateResult(
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
