import { maxSummaryCharacters } from '../../domain/delegation/dispatch-subagent';
import type { FailureType } from '../../domain/kernel/failure-types';
import type { ModelReply } from '../../domain/model/reply';
import type { SpilledText } from '../../domain/store/spilled';
import { agentWorkflowId, type Agent } from '../agent/agent';
import { callModel, ContextWindowFull } from '../agent/call-model';
import { recordEvents } from '../session/change-session';
import { rootCause } from '../failures';
import { withOperatorRetry } from '../operator/operator-retry';

const wholeAnswer = 'FULL_ANSWER.md';
const limits = new Set<string | undefined>(['Budget.Exceeded', 'Agent.TurnLimit'] satisfies FailureType[]);

/**
 * Stores an answer that is too long for the parent's context as an artifact, and asks the agent once for a summary.
 * Without a usable summary, the result only names the artifact.
 */
export async function summarizeLongAnswer(agent: Agent, reply: ModelReply): Promise<SpilledText> {
  if (!('ref' in reply.text)) return reply.text;
  const value = { name: wholeAnswer, ref: { ...reply.text.ref }, by: agentWorkflowId() };
  await recordEvents(agent, [{ type: 'artifactWritten', value }]);
  agent.progress = { ...agent.progress, notes: [request(reply)] };
  const summary = await withOperatorRetry(agent, { name: 'summary' }, () => askIfRoom(agent));
  if (summary !== undefined && fitsSummary(summary) && summary.toolCalls.length === 0) return summary.text;
  return {
    text: `The answer has ${reply.characters} characters and is stored in full as the artifact ${wholeAnswer}.`,
  };
}

/**
 * Calls the model unless a limit prevents it: an agent that has its answer must not hand off or fail only because it
 * can't summarize it.
 */
async function askIfRoom(agent: Agent): Promise<ModelReply | undefined> {
  try {
    return await callModel(agent);
  } catch (error) {
    if (error instanceof ContextWindowFull || limits.has(rootCause(error).type)) return undefined;
    throw error;
  }
}

/** Whether an answer is short enough to be its own summary. */
export function fitsSummary({ characters }: ModelReply): boolean {
  return characters <= maxSummaryCharacters;
}

function request({ characters }: ModelReply): string {
  return (
    `Your answer has ${characters} characters; at most ${maxSummaryCharacters} reach the delegating agent. ` +
    `The full answer is stored as the artifact ${wholeAnswer}. Reply now with a self-contained summary of at most ` +
    `${maxSummaryCharacters} characters. Do not call tools.`
  );
}
