import type { ExecuteToolInput } from '../../domain/agent';
import { runCommandName } from '../../domain/command';
import { DomainError } from '../../domain/kernel';
import { callKey, type ToolResult } from '../../domain/tool';
import { readSpilled } from '../../store/blobs';
import { CallJournal, type CallEnd } from '../../store/call-journal';
import { Attempt, interrupted } from '../attempt';
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

/**
 * Runs one tool call and returns its outcome with the session changes it requests. What another activity has recorded
 * counts: after a reset, the tool does not run again.
 */
export async function executeTool(dependencies: SharedDependencies, input: ExecuteToolInput): Promise<ToolResult> {
  const { call, once, reply } = input;
  if (once) Attempt.current().expectOnce();
  const journal = new CallJournal(runStoreFor(dependencies.store, input), call, reply);
  const end = (await journal.find()) ?? (await runCall(dependencies, input, journal));
  if ('interrupted' in end) throw interrupted('Tool.Interrupted');
  return end.result;
}

async function runCall(
  { store, uncachedStore, treeCache, ...dependencies }: SharedDependencies,
  input: ExecuteToolInput,
  journal: CallJournal,
): Promise<CallEnd> {
  const { call, workspace, session, agent, once, maxResultBytes, unseen = [], toolList, commands } = input;
  const runStore = runStoreFor(store, input);
  const own = findTool(dependencies, call.name, commands);
  const tool = own ?? (await findMcpTool(dependencies.mcp, runStore, toolList, call.name));
  if (tool === undefined) throw new ToolNotOnWorkerError(call.name);
  const files = runStoreFor(uncachedStore, input);
  const environment = {
    store: runStore,
    workspace: workspace === null ? undefined : openWorkspace(files, workspace, treeCache),
    slices: (await resolveSlices(runStore, session)).slices,
    agent,
    maxResultBytes,
    unseen,
  };
  const text = await readSpilled(runStore, call.input, `input of tool call ${call.id}`);
  const key = call.key ?? callKey({ execution: agent, call: 0, try: 0 }, 0, call);
  const runnable = { id: call.id, key, input: text };
  const run = (): Promise<ToolReturn> =>
    whileHeartbeating((signal) => runToolCall(tool, runnable, environment, signal));
  const finish = async (returned: ToolReturn): Promise<CallEnd> =>
    journal.keep(await toToolResult(environment, tool, runnable, returned));
  return once ? runOnce({ store, runStore, journal }, call.id, { run, finish }) : finish(await run());
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
