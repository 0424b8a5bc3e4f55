import { isCancellation, proxyActivities } from '@temporalio/workflow';
import type { AgentActivities } from '../activities/interface';
import { failedOutcome, type ToolCall, type ToolOutcome } from '../domain/tool/call';
import type { PinnedTool } from '../domain/tool/description';
import { executingTool, executingToolOnce } from '../temporal-config/activity-options';
import { withTuning, type Agent } from './agent';
import { rootCause } from './failures';
import { settleAll } from './settle';

/** Runs a reply's tool calls side by side; outcomes come in the order of the calls. */
export async function runTools(agent: Agent, calls: readonly ToolCall[]): Promise<ToolOutcome[]> {
  return settleAll(calls.map((call) => runTool(agent, call)));
}

async function runTool(agent: Agent, call: ToolCall): Promise<ToolOutcome> {
  const tools = agent.progress.opened.tools;
  const tool = tools.find(({ name }) => name === call.name);
  if (tool === undefined) {
    const known = tools.map(({ name }) => name).join(', ');
    return failedOutcome(call.id, `There is no tool named "${call.name}". Available: ${known}.`);
  }
  try {
    return await execute(agent, tool, call);
  } catch (error) {
    if (isCancellation(error)) throw error;
    return interrupted(tool, call, error);
  }
}

function execute({ input, progress }: Agent, tool: PinnedTool, call: ToolCall): Promise<ToolOutcome> {
  const policy = tool.safeToRepeat ? executingTool : executingToolOnce;
  const { executeTool } = proxyActivities<AgentActivities>(withTuning(policy, input, summarize(call)));
  return executeTool({
    runId: input.runId,
    storeId: progress.opened.storeId,
    call,
    ...(input.workspace === undefined ? {} : { workspace: input.workspace }),
  });
}

/** The tool's activity itself broke. The model knows best what to do about a call that may or may not have had effects. */
function interrupted(tool: PinnedTool, call: ToolCall, error: unknown): ToolOutcome {
  const { type, message, timedOut } = rootCause(error);
  const known = type ?? (timedOut ? 'Tool.Interrupted' : 'Tool.Failed');
  const effect = tool.safeToRepeat
    ? 'It had no effect.'
    : 'It may or may not have had its effect: check before you repeat it.';
  return failedOutcome(call.id, `${known}: ${tool.name} did not finish (${message.slice(0, 100)}). ${effect}`);
}

function summarize(call: ToolCall): string {
  const input = 'text' in call.input ? call.input.text : '…';
  return `${call.name} ${input}`.slice(0, 80);
}
