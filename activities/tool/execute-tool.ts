import type { ExecuteToolInput } from '../../domain/agent';
import { runCommandName } from '../../domain/command';
import { DomainError } from '../../domain/kernel';
import { callKey, type ToolResult } from '../../domain/tool';
import { readSpilled } from '../../store/blobs';
import { Attempt } from '../attempt';
import { commandTool } from '../command/command-tool';
import { runStoreFor, type SharedDependencies } from '../dependencies';
import { whileHeartbeating } from '../heartbeat';
import { findMcpTool } from '../mcp/mcp-tool';
import { resolveSlices } from '../session/snapshots';
import { openWorkspace } from '../workspace/stored-workspace';
import type { Tool, ToolReturn } from './define-tool';
import { runOnce } from './run-once';
import { maxWantedBytes, runToolCall, toToolResult } from './tool-call';

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
  const files = runStoreFor(uncachedStore, location);
  const environment = {
    store: runStore,
    workspace: workspace === null ? undefined : openWorkspace(files, workspace, treeCache),
    slices: (await resolveSlices(runStore, session)).slices,
    agent,
    maxResultBytes,
    unseen,
  };
  const runnable = {
    id: call.id,
    key: call.key ?? callKey({ execution: agent, call: 0, try: 0 }, 0, call),
    input: await readSpilled(runStore, call.input, `input of tool call ${call.id}`),
  };
  const run = (): Promise<ToolReturn> =>
    whileHeartbeating((signal) => runToolCall(tool, runnable, environment, signal));
  const finish = (returned: ToolReturn): Promise<ToolResult> => toToolResult(environment, tool, runnable, returned);
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
