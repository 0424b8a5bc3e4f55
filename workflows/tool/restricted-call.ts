import { proxyActivities } from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import { callsLeft, chargeToolCall } from '../../domain/budget';
import {
  type ApprovalRule,
  approvalRulesFor,
  checkCall,
  type CheckedCall,
  failedResult,
  type Restriction,
  restrictionsOf,
  type ToolCall,
  type ToolResult,
} from '../../domain/tool';
import { shortActivityOptions } from '../../temporal-config/activity-options';
import { activityOptions, type Agent, storeLocation } from '../agent/agent';
import { withOperatorRetry } from '../operator/operator-retry';
import { type ApprovedCall, approveCall } from './approve-call';

/** A call that may be made, or the result of one that is refused. */
type ExaminedCall = { readonly refused: ToolResult } | (ApprovedCall & { readonly refused?: undefined });

/**
 * Checks a call against the restrictions of its tool, counts it if they limit its calls, and asks an operator if it needs
 * approval. Undefined at once for a tool without restrictions and rules: every promise costs time.
 */
export function examineCall(agent: Agent, call: ToolCall): Promise<ExaminedCall> | undefined {
  const { opened } = agent.progress;
  if (!opened.tools.names.includes(call.name) || !isExamined(agent, call.name)) return undefined;
  return examine(agent, call, restrictionsOf(opened.access, call.name), approvalRulesFor(opened.access, call.name));
}

/** Whether calls of a tool are examined before they are made: it is restricted, limited, or may need approval. */
export function isExamined({ progress: { opened, ledger } }: Agent, tool: string): boolean {
  return (
    restrictionsOf(opened.access, tool).length > 0 ||
    approvalRulesFor(opened.access, tool).length > 0 ||
    callsLeft(ledger, tool) !== undefined
  );
}

/** Nothing is awaited for an input in history before it is counted, so that calls of one reply are counted in order. */
async function examine(
  agent: Agent,
  call: ToolCall,
  restrictions: readonly Restriction[],
  approvals: readonly ApprovalRule[],
): Promise<ExaminedCall> {
  const rules = restrictions.map((restriction) => restriction.arguments ?? {});
  const isLimiting = rules.some((rule) => Object.keys(rule).length > 0);
  const { violation } = !isLimiting
    ? unlimited
    : 'text' in call.input
      ? checkCall(rules, call.input.text)
      : await checkStored(agent, call, rules);
  if (violation !== null) return { refused: refused(call, violation.message, restrictions[violation.of]) };
  if (!takeCall(agent, call.name)) {
    const limiting = restrictions.find(({ maxCalls }) => maxCalls !== undefined);
    return { refused: refused(call, noCallsLeft(agent, call.name), limiting) };
  }
  if (approvals.length === 0) return { call };
  const approval = await approveCall(agent, call, { approvals, rules });
  if (approval.isApproved) return approval;
  giveBack(agent, call.name);
  return { refused: denied(call, approval.why, restrictions) };
}

const unlimited: CheckedCall = { violation: null };

function checkStored(
  agent: Agent,
  call: ToolCall,
  rules: readonly NonNullable<Restriction['arguments']>[],
): Promise<CheckedCall> {
  const activities = proxyActivities<AgentActivities>(
    activityOptions(shortActivityOptions, agent.settings, `check ${call.name}`),
  );
  return withOperatorRetry(agent, { name: `checking ${call.name}` }, () =>
    activities.checkCall({ ...storeLocation(agent), call, rules }),
  );
}

/** Counts a call of a limited tool. False if none is left. */
function takeCall(agent: Agent, tool: string): boolean {
  const left = callsLeft(agent.progress.ledger, tool);
  if (left === 0) return false;
  if (left !== undefined) agent.progress = { ...agent.progress, ledger: chargeToolCall(agent.progress.ledger, tool) };
  return true;
}

function giveBack(agent: Agent, tool: string): void {
  const { ledger } = agent.progress;
  if (callsLeft(ledger, tool) === undefined) return;
  agent.progress = { ...agent.progress, ledger: chargeToolCall(ledger, tool, -1) };
}

function noCallsLeft({ progress }: Agent, tool: string): string {
  const limit = progress.ledger.allowance.calls?.[tool] ?? 0;
  return `no call is left of the ${limit} that you and your delegations may make together.`;
}

/** The error that the model sees: the restriction that the call violates, and what to do instead. */
function refused(call: ToolCall, why: string, restriction: Restriction | undefined): ToolResult {
  const explained =
    restriction === undefined ? '' : ` Reason: ${restriction.reason} Instead: ${restriction.alternative}`;
  return failedResult(call.id, `Tool.Restricted: ${call.name} was not called: ${why}${explained}`);
}

/** The error that the model sees if no operator approved the call. A restriction also says what to do instead. */
function denied(call: ToolCall, why: string, restrictions: readonly Restriction[]): ToolResult {
  const restriction = restrictions.find(({ approval }) => approval === true);
  if (restriction !== undefined) return refused(call, why, restriction);
  return failedResult(call.id, `Tool.Denied: ${call.name} was not called: ${why}`);
}
