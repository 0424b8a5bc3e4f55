import { proxyActivities } from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import { callsLeft, chargeToolCall } from '../../domain/budget';
import {
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

/**
 * Checks a call against the restrictions of its tool, and counts it if they limit its calls. Resolves to the result of a
 * call that is refused, and to undefined for one that may be made. Undefined at once for a tool that is not restricted:
 * every promise costs time.
 */
export function refuseRestricted(agent: Agent, call: ToolCall): Promise<ToolResult | undefined> | undefined {
  const { opened, ledger } = agent.progress;
  const restrictions = restrictionsOf(opened.access, call.name);
  const isLimited = callsLeft(ledger, call.name) !== undefined;
  if (!opened.tools.names.includes(call.name) || (restrictions.length === 0 && !isLimited)) return undefined;
  return examine(agent, call, restrictions);
}

/** Nothing is awaited for an input in history, so that calls of one reply are counted in their order. */
async function examine(
  agent: Agent,
  call: ToolCall,
  restrictions: readonly Restriction[],
): Promise<ToolResult | undefined> {
  const needsApproval = restrictions.find(({ approval }) => approval === true);
  const rules = restrictions.map((restriction) => restriction.arguments ?? {});
  const mustRead = needsApproval !== undefined || rules.some((rule) => Object.keys(rule).length > 0);
  const checked = !mustRead
    ? unread
    : 'text' in call.input
      ? checkCall(rules, call.input.text)
      : await checkStored(agent, call, rules);
  if (checked.violation !== null) {
    return refused(call, checked.violation.message, restrictions[checked.violation.of]);
  }
  if (!takeCall(agent, call.name)) {
    return refused(
      call,
      noCallsLeft(agent, call.name),
      restrictions.find(({ maxCalls }) => maxCalls !== undefined),
    );
  }
  if (needsApproval === undefined) return undefined;
  const denial = await askOperator(agent, call, checked.preview, needsApproval);
  if (denial === undefined) return undefined;
  giveBack(agent, call.name);
  return refused(call, denial, needsApproval);
}

const unread: CheckedCall = { violation: null, preview: '' };

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

/** Asks an operator about one call. Undefined when it is approved, else why it is not. */
async function askOperator(
  agent: Agent,
  { name }: ToolCall,
  preview: string,
  { reason }: Restriction,
): Promise<string | undefined> {
  if (agent.settings.onFailure !== 'hold')
    return 'an operator has to approve each call, and there is none in this run.';
  const { decision } = await agent.inbox.openIncident({
    kind: 'toolRequest',
    type: 'Tool.NeedsApproval',
    message: `The agent wants to call ${name} with ${preview} (${reason})`,
    attempt: 1,
    step: name,
    delegation: null,
    tool: name,
  });
  if (decision?.action === 'approve') return undefined;
  if (decision === undefined) return 'an operator has to approve each call, and nobody answered in time.';
  const note = decision.note ?? '';
  return note === '' ? 'an operator denied this call.' : `an operator denied this call: ${sentence(note)}`;
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** The error that the model sees: the restriction that the call violates, and what to do instead. */
function refused(call: ToolCall, why: string, restriction: Restriction | undefined): ToolResult {
  const explained =
    restriction === undefined ? '' : ` Reason: ${restriction.reason} Instead: ${restriction.alternative}`;
  return failedResult(call.id, `Tool.Restricted: ${call.name} was not called: ${why}${explained}`);
}
