import {
  failedResult,
  findToolName,
  findToolSchema,
  readCallInput,
  type ToolCall,
  type ToolResult,
} from '../../domain/tool';
import type { Agent } from '../agent/agent';
import { applyToolChange } from '../operator/effective-settings';
import { withOperatorRetry } from '../operator/operator-retry';

/** Carries out one call of `find_tool`: brings deferred tools into the agent's list, from its next turn on. */
export async function findTool(agent: Agent, call: ToolCall): Promise<ToolResult> {
  const input = readCallInput(findToolSchema, call.id, 'text' in call.input ? call.input.text : undefined);
  if (!input.ok) return input.result;
  const { answer = '' } = await bringIn(agent, input.value);
  return { outcome: { callId: call.id, isError: false, content: { text: answer } }, changes: [], events: [] };
}

/**
 * Returns the result of a call of a tool that is not in the agent's list, if the tool is deferred: it is brought in, but
 * not called, because the model did not know its parameters. Undefined if the agent does not have the tool.
 */
export async function bringInCalled(agent: Agent, { id, name }: ToolCall): Promise<ToolResult | undefined> {
  if (!(await bringInNamed(agent, name))) return undefined;
  return failedResult(
    id,
    `${name} was not called: it was not in your list, so you could not know its parameters. It is in your list now; call it again. Use ${findToolName} to bring in others.`,
  );
}

/** Brings in one deferred tool. Returns whether the agent's list contains it now. */
export async function bringInNamed(agent: Agent, name: string): Promise<boolean> {
  // Two calls of a turn may name the same tool: then the first of them has brought it in.
  if (agent.progress.opened.deferred === undefined) return agent.progress.opened.tools.names.includes(name);
  await bringIn(agent, { query: name, limit: 1, exact: true });
  return agent.progress.opened.tools.names.includes(name);
}

type Find = NonNullable<Parameters<typeof applyToolChange>[1]['find']>;

function bringIn(agent: Agent, find: Find): ReturnType<typeof applyToolChange> {
  return withOperatorRetry(agent, { name: findToolName }, () => applyToolChange(agent, { find }));
}
