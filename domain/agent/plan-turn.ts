import { runCommandName } from '../command';
import { stepAfterReply, type StopReason } from '../model';
import {
  askOperatorName,
  builtInToolNames,
  findToolName,
  isBuiltInTool,
  isDispatchTool,
  requestToolName,
  type ToolDescription,
} from '../tool';
import type { ReasonOutside } from './turn-contract';

/** A reply of the model, as far as it decides where its calls run. */
interface PlannedReply {
  readonly stopReason: StopReason;
  readonly toolCalls: readonly { readonly name: string }[];
}

/** What limits the calls that run inside a turn. */
export interface TurnLimits {
  /** Names of tools whose calls the workflow runs. */
  readonly except: readonly string[];
  /** Whether this worker has the tool. */
  readonly isOnWorker: (tool: ToolDescription) => boolean;
  /** Whether workers have died while they ran this turn's calls. */
  readonly hasDied: boolean;
}

/** Where each call of a reply runs: undefined inside the turn, otherwise why the workflow has to run it. */
export type TurnPlan = readonly (ReasonOutside | undefined)[];

/** Maximum calls of a reply that run inside its turn. More of them are distributed to workers. */
const maxInsideCalls = 8;

/** Decides which calls of a reply run inside its turn. `tools` are the agent's tools as they were pinned. */
export function planTurn(reply: PlannedReply, tools: readonly ToolDescription[], limits: TurnLimits): TurnPlan {
  if (stepAfterReply(reply) !== 'runTools') return reply.toolCalls.map(() => 'cut');
  const alone = reply.toolCalls.map(({ name }) => reasonOutside(name, tools, limits));
  if (alone.filter((reason) => reason === undefined).length > maxInsideCalls)
    return alone.map((reason) => reason ?? 'many');
  const isMixed = alone.some((reason) => reason !== undefined);
  // A delegation must not wait for a tool that takes long.
  return alone.map((reason, index) => {
    if (reason !== undefined || !isMixed) return reason;
    return isQuick(reply.toolCalls[index]?.name ?? '', tools) ? undefined : 'mixed';
  });
}

const carriedOutByWorkflow: readonly string[] = [requestToolName, findToolName, askOperatorName];

/** Returns why a call can't run inside the turn, whatever the other calls are; undefined if it can. */
function reasonOutside(name: string, tools: readonly ToolDescription[], limits: TurnLimits): ReasonOutside | undefined {
  const tool = tools.find((given) => given.name === name);
  if (tool === undefined) return 'unknown';
  if (isDispatchTool(name) || carriedOutByWorkflow.includes(name)) return 'workflow';
  if (tool.inline === 'never' || tool.mcp !== undefined || name === runCommandName) return 'never';
  if (!tool.safeToRepeat) return 'once';
  if (limits.except.includes(name)) return 'except';
  if (!limits.isOnWorker(tool)) return 'worker';
  return limits.hasDied ? 'died' : undefined;
}

/** Whether a tool is known to take milliseconds. */
function isQuick(name: string, tools: readonly ToolDescription[]): boolean {
  const inline = tools.find((given) => given.name === name)?.inline;
  return inline === 'quick' || (isBuiltInTool(name) && name !== builtInToolNames.grep);
}
