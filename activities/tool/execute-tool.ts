import { log } from '@temporalio/activity';
import { DomainError } from '../../domain/kernel/errors';
import { artifactsSlice, recordsOf } from '../../domain/session';
import { StoreError } from '../../domain/store/errors';
import { maxPayloadBytes } from '../../domain/store/spilled';
import type { RunStore } from '../../domain/store/store';
import type { ToolResult } from '../../domain/tool/call';
import { measurePayload, readSpilled, spillText } from '../../store/spill';
import { openWorkspace } from '../workspace/stored-workspace';
import { runStoreFor, type SharedDependencies } from '../dependencies';
import { whileHeartbeating } from '../heartbeat';
import type { ExecuteToolInput } from '../interface';
import { truncateResult, resultByteLimit, type ResultLimit } from './result-limit';
import { resolveSlices } from '../session/snapshots';
import { ToolError, type Tool, type ToolContext, type ToolReturn } from './define-tool';

/** Thrown when the worker does not have a tool that the run was started with. Another worker may have it. */
export class ToolNotOnWorkerError extends DomainError {
  readonly type = 'Tool.NotOnWorker';

  constructor(name: string) {
    super(`This worker does not have the tool "${name}" that the run was started with`, { name });
  }
}

/** Runs one tool call and returns its outcome with the session changes it requests. */
export async function executeTool(
  { store, tools, treeCache }: SharedDependencies,
  { call, workspace, session, agent, maxResultBytes, unseen = [], ...location }: ExecuteToolInput,
): Promise<ToolResult> {
  const runStore = runStoreFor(store, location);
  const tool = tools.find(({ description }) => description.name === call.name);
  if (tool === undefined) throw new ToolNotOnWorkerError(call.name);
  const input = await readSpilled(runStore, call.input, `input of tool call ${call.id}`);
  const { slices } = await resolveSlices(runStore, session);
  const artifacts = recordsOf({ slices }, artifactsSlice);
  const view = workspace === null ? undefined : openWorkspace(runStore, workspace, treeCache);
  const limit = { tool: call.name, agent, maxBytes: resultByteLimit(maxResultBytes) };
  const context = {
    workspace: view,
    blobs: runStore,
    artifacts,
    slices,
    agent,
    maxResultBytes: limit.maxBytes,
    unseen,
  };
  const result = await whileHeartbeating((signal) => runTool(tool, input, { ...context, signal }));
  const requested = { changes: result.changes ?? [], events: result.events ?? [] };
  const fits = measurePayload(requested) <= maxWantedBytes;
  const execution = await toExecution(runStore, call.id, limit, fits ? result : tooMuch);
  const { read } = result;
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
      message: `${tool.description.name} failed: ${error instanceof Error ? error.message : String(error)}`,
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
