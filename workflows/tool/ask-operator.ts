import type { z } from 'zod';
import { visibleText } from '../../domain/kernel';
import { resolveAnswer } from '../../domain/operator';
import {
  askOperatorName,
  askOperatorSchema,
  failedResult,
  readCallInput,
  type ToolCall,
  type ToolResult,
} from '../../domain/tool';
import type { Agent } from '../agent/agent';
import type { Answer } from '../operator/incident-options';
import { findDecision, keepDecision } from './call-decisions';

type Question = z.infer<typeof askOperatorSchema>;

/**
 * Carries out one call of `ask_operator`: waits until an operator answers, under every failure policy, at most for the
 * hold time of the run. A question that was answered before a reset is not asked again.
 */
export async function askOperator(agent: Agent, call: ToolCall): Promise<ToolResult> {
  const { input, earlier } = await findDecision(agent, call, []);
  const read = readCallInput(askOperatorSchema, call.id, input);
  if (!read.ok) return read.result;
  if (earlier !== null) return answered(call, `An operator answered: ${earlier.text}`);
  const choice = choiceOf(read.value);
  const { decision } = await ask(agent, read.value, choice);
  // While somebody decided, others may have written to its shared session.
  if (agent.shared !== null) agent.shared.isBehind = true;
  if (decision?.action !== 'answer') return unanswered(call, read.value);
  const note = (decision.note ?? '') === '' ? '' : `\nNote: ${visibleText(decision.note ?? '')}`;
  const text = `${visibleText(resolveAnswer(decision.text, choice) ?? decision.text)}${note}`;
  await keepDecision(agent, call, { action: 'answer', text, by: decision.by ?? '' });
  return answered(call, `An operator answered: ${text}`);
}

interface Choice {
  readonly options?: NonNullable<Question['options']>;
  readonly freeText?: true;
}

function choiceOf({ options, free_text: isFree }: Question): Choice {
  return {
    ...(options === undefined ? {} : { options }),
    ...(isFree === true && options !== undefined ? { freeText: true } : {}),
  };
}

/** Not async: an agent that waits for days keeps every promise of its wait in memory, with a stack trace. */
function ask(agent: Agent, { question, timeout_seconds: seconds }: Question, choice: Choice): Promise<Answer> {
  const timeoutMs = seconds === undefined ? undefined : seconds * 1_000;
  return agent.inbox.openIncident(
    {
      kind: 'question',
      type: 'Agent.Question',
      message: visibleText(question),
      attempt: 1,
      step: askOperatorName,
      delegation: null,
      tool: askOperatorName,
      ...choice,
      until: agent.inbox.until(timeoutMs),
    },
    timeoutMs === undefined ? {} : { timeoutMs },
  );
}

function unanswered(call: ToolCall, { default: otherwise }: Question): ToolResult {
  if (otherwise !== undefined)
    return answered(call, `Nobody answered in time. Continue with your default: ${visibleText(otherwise)}`);
  return failedResult(
    call.id,
    'Nobody answered in time. Decide yourself, if you may, and state in your answer what you assumed.',
  );
}

function answered({ id }: ToolCall, text: string): ToolResult {
  return { outcome: { callId: id, isError: false, content: { text } }, changes: [], events: [] };
}
