import { log } from '@temporalio/activity';
import type { ExecuteToolInput } from '../../domain/agent';
import { runCommandName } from '../../domain/command';
import { maxToolResultBytes, minToolResultBytes } from '../../domain/handoff';
import { DomainError, redactSecrets } from '../../domain/kernel';
import { artifactsSlice, recordsOf } from '../../domain/session';
import { maxPayloadBytes, mediaTypes, type RunStore, StoreError } from '../../domain/store';
import { callKey, type SessionEvent, type ToolResult } from '../../domain/tool';
import { measurePayload, readSpilled, spillText } from '../../store/blobs';
import { Attempt } from '../attempt';
import { commandTool } from '../command/command-tool';
import { runStoreFor, type SharedDependencies } from '../dependencies';
import { whileHeartbeating } from '../heartbeat';
import { findMcpTool } from '../mcp/mcp-tool';
import { resolveSlices } from '../session/snapshots';
import { openWorkspace } from '../workspace/stored-workspace';
import { type Tool, type ToolContext, ToolError, type ToolReturn } from './define-tool';
import { runOnce } from './run-once';

/** Thrown when the worker does not have a tool that the run was started with. Another worker may have it. */
class ToolNotOnWorkerError extends DomainError {
  readonly type = 'Tool.NotOnWorker';

  constructor(name: string) {
    super(`This worker does not have the tool "${name}" that the run was started with`, { name });
  }
}

/** Runs one tool call and returns its outcome with the session changes it requests. */
export async function executeTool(
  { store, uncachedStore, treeCache, ...dependencies }: SharedDependencies,
  {
    call,
    workspace,
    session,
    agent,
    once,
    maxResultBytes,
    unseen = [],
    toolList,
    commands,
    ...location
  }: ExecuteToolInput,
): Promise<ToolResult> {
  if (once) Attempt.current().expectOnce();
  const runStore = runStoreFor(store, location);
  const own = findTool(dependencies, call.name, commands);
  const tool = own ?? (await findMcpTool(dependencies.mcp, runStore, toolList, call.name));
  if (tool === undefined) throw new ToolNotOnWorkerError(call.name);
  const input = await readSpilled(runStore, call.input, `input of tool call ${call.id}`);
  const { slices } = await resolveSlices(runStore, session);
  const artifacts = recordsOf({ slices }, artifactsSlice);
  const files = runStoreFor(uncachedStore, location);
  const view = workspace === null ? undefined : openWorkspace(files, workspace, treeCache);
  const limit = { tool: call.name, agent, maxBytes: resultByteLimit(maxResultBytes) };
  const context = {
    workspace: view,
    blobs: runStore,
    artifacts,
    slices,
    agent,
    // A call that was scheduled by an earlier version has none.
    key: call.key ?? callKey({ execution: agent, call: 0, try: 0 }, 0, call),
    maxResultBytes: limit.maxBytes,
    unseen,
  };
  const run = (): Promise<ToolReturn> => whileHeartbeating((signal) => runTool(tool, input, { ...context, signal }));
  const finish = (returned: ToolReturn): Promise<ToolResult> => toResult(runStore, call.id, limit, unseen, returned);
  return once ? runOnce(store, runStore, call.id, { run, finish }) : finish(await run());
}

/** Returns the tool of this name; undefined if the worker does not have it. */
function findTool(
  { tools, commands }: Pick<SharedDependencies, 'tools' | 'commands'>,
  name: string,
  grant: ExecuteToolInput['commands'] = {},
): Tool | undefined {
  if (name !== runCommandName) return tools.find(({ description }) => description.name === name);
  return commands?.isAvailable === true ? commandTool(commands, grant, maxWantedBytes) : undefined;
}

async function toResult(
  store: RunStore,
  callId: string,
  limit: ResultLimit,
  unseen: readonly string[],
  returned: ToolReturn,
): Promise<ToolResult> {
  const requested = { changes: returned.changes ?? [], events: returned.events ?? [] };
  const fits = measurePayload(requested) <= maxWantedBytes;
  const execution = await toExecution(store, callId, limit, fits ? returned : tooMuch);
  const { read } = returned;
  return read !== undefined && unseen.includes(read) ? { ...execution, seen: [read] } : execution;
}

/**
 * Maximum bytes of the changes that a call requests. They are recorded in history; file contents are stored and don't
 * count.
 */
const maxWantedBytes = maxPayloadBytes / 2;
const tooMuch: ToolReturn = {
  isError: true,
  message: 'Nothing was changed: this call changes too much at once. Split it into smaller calls.',
};

/** Turns errors of a tool into a result for the model, except when the activity is cancelled or the store fails. */
async function runTool(tool: Tool, input: string, context: ToolContext): Promise<ToolReturn> {
  try {
    return await tool.run(JSON.parse(input), context);
  } catch (error) {
    if (context.signal.aborted || error instanceof StoreError) throw error;
    if (error instanceof ToolError) return { isError: true, message: error.message };
    log.warn('Tool failed unexpectedly', { tool: tool.description.name, error });
    return {
      isError: true,
      message: `${tool.description.name} failed: ${redactSecrets(error instanceof Error ? error.message : String(error))}`,
    };
  }
}

async function toExecution(
  store: RunStore,
  callId: string,
  limit: ResultLimit,
  { message, isError = false, changes = [], events = [] }: ToolReturn,
): Promise<ToolResult> {
  const limited = await truncateResult(store, limit, message);
  const content = await spillText(store, limited.message);
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
