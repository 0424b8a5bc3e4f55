import { type OperatorDecision, standingFor } from '../../domain/operator';
import {
  type ApprovalRule,
  type CallDecision,
  type CheckEditInput,
  type FoundDecision,
  ruleId,
  type ToolCall,
} from '../../domain/tool';
import type { Agent } from '../agent/agent';
import { failure } from '../failures';
import { checkEdit, findDecision, keepDecision } from './call-decisions';

/** A call that may be made, perhaps with other arguments than the model's. */
export interface ApprovedCall {
  readonly call: ToolCall;
  /** What the model has to know about the call, besides its result. */
  readonly remark?: string;
}

/** An approved call, or the reason why it may not be made. */
type Approval = (ApprovedCall & { readonly isApproved: true }) | { readonly isApproved: false; readonly why: string };

/** What limits the calls of a tool. */
interface CallRules {
  /** Rules about calls that an operator has to approve. */
  readonly approvals: readonly ApprovalRule[];
  /** Rules for the arguments, of each restriction. An operator's arguments must comply with them too. */
  readonly rules: CheckEditInput['rules'];
}

/**
 * Asks an operator about a call if one of the rules demands it, unless an operator has already decided about it, or about
 * all calls like it. Waits under every failure policy, at most for the hold time of the run.
 */
export async function approveCall(agent: Agent, call: ToolCall, rules: CallRules): Promise<Approval> {
  const found = await findDecision(agent, call, rules.approvals);
  if (found.matched.length === 0) return { isApproved: true, call };
  if (found.earlier !== null) return approvalOf(call, found.earlier);
  const standing = standingFor(agent.inbox.state, { tool: call.name, rules: found.matched });
  if (standing !== undefined) return approvalOf(call, { ...standing, text: standing.note });
  return ask(agent, call, rules, found);
}

async function ask(
  agent: Agent,
  call: ToolCall,
  { approvals, rules }: CallRules,
  { matched, preview }: FoundDecision,
): Promise<Approval> {
  const reasons = approvals.flatMap((rule) => (matched.includes(ruleId(rule)) ? (rule.reason ?? []) : []));
  const edited: { checked?: CallDecision['edited'] } = {};
  const { decision } = await agent.inbox.openIncident(
    {
      kind: 'approval',
      type: 'Tool.NeedsApproval',
      message: `The agent wants to call ${call.name} with ${preview}${reasons.length === 0 ? '' : ` (${reasons.join(' ')})`}`,
      attempt: 1,
      step: call.name,
      delegation: null,
      tool: call.name,
      call: { id: call.id, arguments: call.input, rules: matched },
      until: agent.inbox.until(),
    },
    {
      accept: (given) => {
        const edit = editIn(given);
        return edit && acceptEdit(agent, call, rules, edit).then((checked) => void (edited.checked = checked));
      },
    },
  );
  // While somebody decided, others may have written to its shared session.
  if (agent.shared !== null) agent.shared.isBehind = true;
  if (decision === undefined) return { isApproved: false, why: 'nobody approved it in time.' };
  const taken: CallDecision = {
    action: decision.action === 'approve' ? 'approve' : 'deny',
    text: decision.note ?? '',
    by: decision.by ?? '',
    ...(editIn(decision) === undefined || edited.checked === undefined ? {} : { edited: edited.checked }),
  };
  await keepDecision(agent, call, taken);
  return approvalOf(call, taken);
}

function editIn(decision: OperatorDecision): object | undefined {
  return decision.action === 'approve' ? decision.edit : undefined;
}

/** Checks other arguments for a call. Throws a failure for the operator if the tool does not accept them. */
async function acceptEdit(
  agent: Agent,
  call: ToolCall,
  rules: CallRules['rules'],
  edit: object,
): Promise<CallDecision['edited']> {
  const { problem, input, preview } = await checkEdit(agent, call, rules, edit);
  if (problem !== null)
    throw failure('Input.Invalid', `edit: ${problem}. Correct the arguments of ${call.name}; the call still waits.`);
  return { input, preview };
}

function approvalOf(
  call: ToolCall,
  { action, text, edited }: Pick<CallDecision, 'action' | 'text' | 'edited'>,
): Approval {
  const reason = text === '' ? '' : sentence(text);
  if (action !== 'approve')
    return { isApproved: false, why: `an operator denied this call${reason === '' ? '.' : `: ${reason}`}` };
  if (edited === undefined) return { isApproved: true, call };
  return {
    isApproved: true,
    call: { ...call, input: edited.input },
    remark: `\n[An operator changed the arguments of this call before it ran, to ${edited.preview}${reason === '' ? '' : ` Reason: ${reason}`}]`,
  };
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
