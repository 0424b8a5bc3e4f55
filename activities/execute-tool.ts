import { log } from '@temporalio/activity';
import { DomainError } from '../domain/errors';
import { StoreError } from '../domain/store/errors';
import type { RunStore } from '../domain/store/store';
import type { ToolOutcome } from '../domain/tool/call';
import { readSpilled, spillText } from '../store/spill';
import { storeAt, type ActivityDependencies } from './dependencies';
import { whileHeartbeating } from './heartbeat';
import type { ExecuteToolInput } from './interface';
import { limitResult } from './result-limit';
import { ToolError, type Tool, type ToolContext, type ToolResult } from './tools/tool';

export class ToolNotOnWorkerError extends DomainError {
  readonly type = 'Tool.NotOnWorker';

  constructor(name: string) {
    super(`This worker has no tool "${name}", though the run was started with it`, { name });
  }
}

export async function executeTool(
  { store, tools }: ActivityDependencies,
  { call, workspace, ...location }: ExecuteToolInput,
): Promise<ToolOutcome> {
  const runStore = storeAt(store, location);
  const tool = tools.find(({ description }) => description.name === call.name);
  if (tool === undefined) throw new ToolNotOnWorkerError(call.name);
  const input = await readSpilled(runStore, call.input, `input of tool call ${call.id}`);
  const result = await whileHeartbeating((signal) => runTool(tool, input, { workspace, signal }));
  return toOutcome(runStore, call.id, result);
}

/** Whatever a tool throws is its own failure and content for the model, unless the run is being stopped. */
async function runTool(tool: Tool, input: string, context: ToolContext): Promise<ToolResult> {
  try {
    return await tool.run(JSON.parse(input), context);
  } catch (error) {
    if (context.signal.aborted || error instanceof StoreError) throw error;
    if (error instanceof ToolError) return { isError: true, message: error.message };
    log.warn('A tool failed unexpectedly', { tool: tool.description.name, error });
    return {
      isError: true,
      message: `${tool.description.name} failed: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}

async function toOutcome(
  store: RunStore,
  callId: string,
  { message, isError = false }: ToolResult,
): Promise<ToolOutcome> {
  const content = await spillText(store, await limitResult(store, message));
  return { callId, isError, content };
}
