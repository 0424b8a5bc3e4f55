import {
  type ChangedTools,
  failedResult,
  isDispatchTool,
  readCallInput,
  requestToolName,
  requestToolSchema,
  revocationOf,
  type ToolCall,
  toolRequestRule,
  type ToolResult,
} from '../../domain/tool';
import type { Agent } from '../agent/agent';
import { applyToolChange, previewToolChange } from '../operator/effective-settings';
import { withOperatorRetry } from '../operator/operator-retry';
import { bringInNamed } from './find-tool';

/** Carries out one call of `request_tool`. The run's rules decide or, under the policy `hold`, an operator. */
export async function requestTool(agent: Agent, call: ToolCall): Promise<ToolResult> {
  const input = readCallInput(requestToolSchema, call.id, 'text' in call.input ? call.input.text : undefined);
  if (!input.ok) return input.result;
  const { name, reason } = input.value;
  if (agent.progress.opened.tools.names.includes(name)) return answered(call, `You already have ${name}.`);
  if (isDispatchTool(name))
    return failedResult(call.id, `${name} was denied: your task decides whether you may delegate.`);
  const revoked = revocationOf(agent.progress.opened.access, name);
  if (revoked !== undefined)
    return failedResult(
      call.id,
      `${name} was denied: it was revoked. Reason: ${revoked.reason} Instead: ${revoked.alternative}`,
    );
  if (agent.progress.opened.deferred !== undefined && (await bringInNamed(agent, name)))
    return answered(call, `You already have ${name}. It is in your list from now on.`);
  const verdict = await verdictOn(agent, name, reason);
  return verdict.granted ? grant(agent, call, name) : failedResult(call.id, `${name} was denied: ${verdict.why}`);
}

interface Verdict {
  readonly granted: boolean;
  readonly why: string;
}

async function verdictOn(agent: Agent, name: string, reason: string): Promise<Verdict> {
  const rule = toolRequestRule(agent.settings, name);
  if (rule !== undefined)
    return { granted: rule === 'grant', why: 'the rules of this run do not allow it. Continue without it.' };
  if (agent.settings.onFailure !== 'hold') {
    return {
      granted: false,
      why: 'there is nobody to approve it. Continue without it, and report what you could not do.',
    };
  }
  // Don't ask an operator for a tool that can't be granted.
  if (isBeyondRoot(await retriedByOperator(agent, () => previewToolChange(agent, { grant: [name] }))))
    return { granted: false, why: beyondRoot };
  const { decision } = await agent.inbox.openIncident({
    kind: 'toolRequest',
    type: 'Tool.Requested',
    message: `The agent requests ${name}: ${reason}`,
    attempt: 1,
    step: requestToolName,
    delegation: null,
    tool: name,
  });
  const note = decision?.note ?? '';
  const why =
    decision === undefined
      ? 'nobody answered in time. Continue without it.'
      : note === ''
        ? 'continue without it.'
        : note;
  return { granted: decision?.action === 'approve', why };
}

async function grant(agent: Agent, call: ToolCall, name: string): Promise<ToolResult> {
  const changed = await retriedByOperator(agent, () => applyToolChange(agent, { grant: [name] }));
  if (isBeyondRoot(changed)) return failedResult(call.id, `${name} was denied: ${beyondRoot}`);
  // Another call of the same turn was granted the tool in the meantime.
  if (changed.entry === '') return answered(call, `You already have ${name}.`);
  return answered(call, `Granted. You can now use:\n\n${changed.entry}`);
}

const beyondRoot = 'the root agent of this run does not have it. Continue without it.';

function isBeyondRoot({ refused: names }: ChangedTools): boolean {
  return names.length > 0;
}

function retriedByOperator<T>(agent: Agent, change: () => Promise<T>): Promise<T> {
  return withOperatorRetry(agent, { name: requestToolName }, change);
}

function answered({ id }: ToolCall, text: string): ToolResult {
  return { outcome: { callId: id, isError: false, content: { text } }, changes: [], events: [] };
}
