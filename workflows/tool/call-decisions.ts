import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import type {
  ApprovalRule,
  CallDecision,
  CheckedEdit,
  CheckEditInput,
  FoundDecision,
  KeepDecisionInput,
  ToolCall,
} from '../../domain/tool';
import { shortActivityOptions } from '../../temporal-config/activity-options';
import { activityOptions, type Agent, storeLocation } from '../agent/agent';
import { withOperatorRetry } from '../operator/operator-retry';

/** Matches a call with rules, and looks up what an operator decided about it before a reset. */
export function findDecision(agent: Agent, call: ToolCall, rules: readonly ApprovalRule[]): Promise<FoundDecision> {
  return withOperatorRetry(agent, { name: `checking ${call.name}` }, () =>
    activities(agent, `check ${call.name}`).findDecision({ ...askedCall(agent, call), rules }),
  );
}

/** Keeps a decision about a call, so that a reset does not ask again. */
export function keepDecision(agent: Agent, call: ToolCall, decision: CallDecision): Promise<void> {
  return withOperatorRetry(agent, { name: `deciding about ${call.name}` }, () =>
    activities(agent, `keep the decision about ${call.name}`).keepDecision({ ...askedCall(agent, call), decision }),
  );
}

/** Checks arguments that replace those of a call. */
export function checkEdit(
  agent: Agent,
  call: ToolCall,
  rules: CheckEditInput['rules'],
  edit: object,
): Promise<CheckedEdit> {
  const { toolList } = agent.progress.opened;
  return activities(agent, `check other arguments of ${call.name}`).checkEdit({
    ...storeLocation(agent),
    call,
    toolList,
    rules,
    edit,
  });
}

function askedCall(agent: Agent, call: ToolCall): Omit<KeepDecisionInput, 'decision'> {
  const { firstExecutionRunId: execution } = workflowInfo();
  return { ...storeLocation(agent), call, execution, turn: agent.progress.calls };
}

function activities(agent: Agent, summary: string): AgentActivities {
  return proxyActivities<AgentActivities>(activityOptions(shortActivityOptions, agent.settings, summary));
}
