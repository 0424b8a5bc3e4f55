import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import { type ExecuteToolInput, takenResult, type TurnReply } from '../../domain/agent';
import { isSafeToRepeat, runCommandName } from '../../domain/command';
import type { DeliveredToolResult, NamedDelivery } from '../../domain/delegation';
import { isMcpToolName } from '../../domain/mcp';
import {
  askOperatorName,
  callKey,
  dispatchSubagentsName,
  failedResult,
  findToolName,
  isDispatchTool,
  pinnedTool,
  type PinnedTool,
  requestToolName,
  revocationOf,
  type ToolCall,
  type ToolResult,
} from '../../domain/tool';
import { commandOptions, toolOptions } from '../../temporal-config/activity-options';
import { activityOptions, type Agent, agentWorkflowId, type SharedSession, storeLocation } from '../agent/agent';
import { resultLimit } from '../agent/inside-input';
import {
  abandonSharedSession,
  type DelegationPlan,
  leaveQueue,
  mergeSharedSession,
  planDelegations,
  runPlanned,
} from '../delegation/turn-delegations';
import { isCancelled, rootCause } from '../failures';
import { applyToolResults, catchUp } from '../session/change-session';
import { captureSlices } from '../session/transfer-session';
import { foldPendingChanges, hasUnfoldedChanges, workspaceInput } from '../workspace/mount-and-fold';
import { askOperator } from './ask-operator';
import { bringInCalled, findTool } from './find-tool';
import { requestTool } from './request-tool';
import { examineCall } from './restricted-call';

/**
 * Takes over the results of the calls that ran inside the turn, runs the others concurrently, and then applies the changes
 * that all of them request in the order of the calls. Undefined at once if nothing has to be awaited.
 */
export function runTools(agent: Agent, reply: TurnReply): Promise<void> | undefined {
  const { tries } = agent.progress;
  const taken = reply.toolCalls.map((_, index): NamedDelivery | undefined => {
    const ran = reply.ran.get(index);
    return ran && { tool: ran.name, ...takenResult(ran, tries) };
  });
  const left = reply.toolCalls.flatMap((call, index) => (reply.ran.has(index) ? [] : [withKey(agent, call, index)]));
  if (left.length > 0) return runLeft(agent, left, taken);
  return applyResults(agent, taken.filter(isDone), reply.sent);
}

/** Runs the calls that have not run yet. Their results belong to the gaps in those that were taken over. */
async function runLeft(
  agent: Agent,
  left: readonly ToolCall[],
  taken: readonly (NamedDelivery | undefined)[],
): Promise<void> {
  if (agent.shared?.isBehind === true) await joinSession(agent, agent.shared);
  const plan = planDelegations(agent, left);
  const ended = await Promise.allSettled(left.map((call) => runCall(agent, plan, call)));
  if (ended.some(({ status }) => status === 'rejected')) await abandonSharedSession(plan);
  const others = settledValues(ended).map((result, index) => ({ tool: left[index]?.name ?? '', ...result }));
  const lost = plan?.host === undefined ? undefined : await mergeSharedSession(agent, plan);
  const delivered = (lost === undefined ? others : others.map((result) => withLoss(result, lost))).values();
  const results = taken.map((result) => result ?? delivered.next().value).filter(isDone);
  await applyResults(agent, results);
}

function isDone(result: NamedDelivery | undefined): result is NamedDelivery {
  return result !== undefined;
}

function applyResults(
  agent: Agent,
  results: readonly NamedDelivery[],
  sent?: TurnReply['sent'],
): Promise<void> | undefined {
  markAsSeen(agent, results);
  return applyToolResults(agent, results, sent);
}

/**
 * Adds the idempotency key to a call that an activity runs. Called before anything is awaited, because an operator's
 * retry of a step of this turn raises the number of tries.
 */
function withKey({ progress }: Agent, call: ToolCall, index: number): ToolCall {
  if (isDispatchTool(call.name) || call.name === requestToolName) return call;
  const { firstExecutionRunId: execution } = workflowInfo();
  return { ...call, key: callKey({ execution, call: progress.calls - 1, try: progress.tries }, index, call) };
}

/** Makes an agent's tools see everything that others have written to its shared session so far. */
async function joinSession(agent: Agent, shared: SharedSession): Promise<void> {
  await catchUp(agent, shared);
  // Hundreds of files, if many others have finished before. Every tool call would carry them.
  if (hasUnfoldedChanges(agent)) await foldPendingChanges(agent);
}

function runCall(agent: Agent, plan: DelegationPlan | undefined, call: ToolCall): Promise<DeliveredToolResult> {
  const run = (made: ToolCall): Promise<DeliveredToolResult> =>
    runPlanned(agent, plan, call, made) ?? runTool(agent, made);
  const examination = examineCall(agent, call);
  if (examination === undefined) return run(call);
  return examination.then((examined) => {
    if (examined.refused === undefined) return withRemark(run(examined.call), examined.remark);
    leaveQueue(plan, call);
    return examined.refused;
  });
}

/** Adds what the model has to know about a call to its result. */
async function withRemark(
  running: Promise<DeliveredToolResult>,
  remark: string | undefined,
): Promise<DeliveredToolResult> {
  const result = await running;
  if (remark === undefined) return result;
  const { outcome } = result;
  return { ...result, outcome: { ...outcome, addendum: `${outcome.addendum ?? ''}${remark}` } };
}

/** The agent has read these files, so it need not be told that others changed them. */
function markAsSeen(agent: Agent, results: readonly NamedDelivery[]): void {
  const seen = new Set(results.flatMap((result) => result.seen ?? []));
  if (seen.size === 0) return;
  agent.progress = { ...agent.progress, unseen: agent.progress.unseen.filter((path) => !seen.has(path)) };
}

/** Adds the loss of the shared session to a batch's result: the delegations' results are kept, but not their writes. */
function withLoss(result: NamedDelivery, lost: string): NamedDelivery {
  const { tool, outcome } = result;
  if (tool !== dispatchSubagentsName || !('content' in outcome)) return result;
  return { ...result, outcome: { ...outcome, isError: true, addendum: `${outcome.addendum ?? ''}\n${lost}` } };
}

/** Not async: what waits for an operator may wait for days, and keeps its promises in memory. */
function runTool(agent: Agent, call: ToolCall): Promise<ToolResult> {
  const tool = toolFor(agent, call);
  if (tool === undefined) return callNotGiven(agent, call);
  if (call.name === requestToolName) return requestTool(agent, call);
  if (call.name === findToolName) return findTool(agent, call);
  if (call.name === askOperatorName) return askOperator(agent, call);
  return runActivity(agent, tool, call);
}

async function runActivity(agent: Agent, tool: PinnedTool, call: ToolCall): Promise<ToolResult> {
  try {
    return await (tool.reads.length === 0 ? execute(agent, tool, call) : executeReading(agent, tool, call));
  } catch (error) {
    if (isCancelled(error)) throw error;
    return interrupted(tool, call, error);
  }
}

/** The tool of a call. Some commands are safe to repeat, although the tool that runs them is not. */
function toolFor({ progress, settings }: Agent, { name, input }: ToolCall): PinnedTool | undefined {
  const tool = pinnedTool(progress.opened.tools, name);
  if (tool?.name !== runCommandName || settings.commands === undefined || !('text' in input)) return tool;
  return { ...tool, safeToRepeat: isSafeToRepeat(settings.commands, input.text) };
}

async function executeReading(agent: Agent, tool: PinnedTool, call: ToolCall): Promise<ToolResult> {
  return execute(agent, tool, call, await captureSlices(agent, tool.reads));
}

function execute(
  agent: Agent,
  tool: PinnedTool,
  call: ToolCall,
  session?: ExecuteToolInput['session'],
): Promise<ToolResult> {
  const isCommand = tool.name === runCommandName;
  const options = activityOptions(isCommand ? commandOptions : toolOptions, agent.settings, summarize(call));
  const { executeTool } = proxyActivities<AgentActivities>(options);
  return executeTool({
    ...storeLocation(agent),
    call,
    reply: agent.progress.head.hash,
    workspace: workspaceInput(agent.progress.workspace),
    ...(session === undefined ? {} : { session }),
    agent: agentWorkflowId(),
    ...(tool.safeToRepeat ? {} : { once: true }),
    ...resultLimit(agent),
    ...(agent.progress.unseen.length === 0 ? {} : { unseen: agent.progress.unseen }),
    ...(isMcpToolName(call.name) ? { toolList: agent.progress.opened.toolList } : {}),
    ...(isCommand ? commandGrant(agent) : {}),
  });
}

/** What the agent's commands may do. */
function commandGrant({ settings }: Agent): Pick<ExecuteToolInput, 'commands'> {
  const { safeToRepeat: _patterns, ...grant } = settings.commands ?? {};
  return { commands: grant };
}

async function callNotGiven(agent: Agent, call: ToolCall): Promise<ToolResult> {
  const broughtIn = agent.progress.opened.deferred === undefined ? undefined : await bringInCalled(agent, call);
  return broughtIn ?? failedResult(call.id, notGiven(agent, call.name));
}

function notGiven({ progress }: Agent, name: string): string {
  const revoked = revocationOf(progress.opened.access, name);
  if (revoked !== undefined) return `${name} was revoked. Reason: ${revoked.reason} Instead: ${revoked.alternative}`;
  if (isDispatchTool(name)) {
    return `${name} is not available to you. Your instructions say: "**May delegate further?** – no". Do the work yourself.`;
  }
  const more = progress.opened.deferred === undefined ? '' : ` Search for others with ${findToolName}.`;
  return `There is no tool named "${name}". Available: ${progress.opened.tools.names.join(', ')}.${more}`;
}

/** Result of a call whose activity failed. The model decides what to do about a call that may have taken effect. */
function interrupted(tool: PinnedTool, call: ToolCall, error: unknown): ToolResult {
  const { type, message, timedOut } = rootCause(error);
  const known = type ?? (timedOut ? 'Tool.Interrupted' : 'Tool.Failed');
  const effect = tool.safeToRepeat
    ? 'It had no effect.'
    : 'It may or may not have taken effect. Check before you repeat it.';
  return failedResult(call.id, `${known}: ${tool.name} did not finish (${message.slice(0, 100)}). ${effect}`);
}

function summarize(call: ToolCall): string {
  const input = 'text' in call.input ? call.input.text : '…';
  return `${call.name} ${input}`.slice(0, 80);
}

/**
 * Returns the values of settled promises, or throws the first rejection in their order. Used after `Promise.allSettled`
 * instead of `Promise.all`, so that it throws only when nothing is running: a tool must not outlive its workflow.
 */
export function settledValues<T>(ended: readonly PromiseSettledResult<T>[]): T[] {
  return ended.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}
