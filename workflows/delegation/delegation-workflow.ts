import { initialProgress, type TurnReply } from '../../domain/agent';
import {
  type DelegationResult,
  delegationResult,
  type DelegationStart,
  maxSummaryCharacters,
  missingArtifacts,
  readStart,
  type StartPayload,
  startPayload,
} from '../../domain/delegation';
import type { FailureType } from '../../domain/kernel';
import type { Session, SessionSchema } from '../../domain/session';
import type { BlobRef, SpilledText } from '../../domain/store';
import type { Agent } from '../agent/agent';
import { type AgentLifecycle, type Answered, beginAgent } from '../agent/agent-lifecycle';
import { type AgentAnswer, runAgent } from '../agent/agent-loop';
import { ContextWindowFull, runTurn } from '../agent/run-turn';
import { continueAgent } from '../agent/run-workflow';
import { failure, rootCause } from '../failures';
import { withOperatorRetry } from '../operator/operator-retry';
import { artifactWritten, recordEvents } from '../session/change-session';
import { hydrateVerified, receiveSession } from '../session/transfer-session';
import { requireDelegationId } from '../workflow-id';

/** Signature of `delegationWorkflow`. */
export type DelegationWorkflow = (input: StartPayload) => Promise<DelegationResult>;

/**
 * Runs one delegation: an agent that starts from its parent's session snapshot and returns nothing but its result. If
 * expected artifacts are missing, an agent with the policy `hold` waits for an operator; any other agent ends, and its
 * result names them.
 */
export async function runDelegation(schema: SessionSchema, input: StartPayload): Promise<DelegationResult> {
  const { resume, ...start } = readStart(input);
  requireDelegationId(start.runId, start.delegationId);
  const life = beginAgent(schema, start, resume);
  /** The session that it starts from. Its result contains only the differences from it. */
  let baseline: Session | undefined;
  const end = await life.until(async () => {
    const { snapshot, opened, workspace, budget } = start;
    // Awaited only if it has to be loaded. The same rule applies to the operator below.
    baseline =
      'inline' in snapshot
        ? hydrateVerified(schema, snapshot.inline)
        : await receiveSession(schema, { runId: start.runId, storeId: opened.storeId }, snapshot, start);
    const agent = life.resumed ?? life.open(initialProgress(opened, baseline, workspace, budget));
    for (;;) {
      const answer = await runAgent(agent);
      if (answer.kind === 'continuesAsNew') return answer;
      const missing = missingArtifacts(start, agent.progress.session, baseline);
      const asksOperator = missing.length > 0 && agent.settings.onFailure === 'hold';
      if (!asksOperator || !(await operatorWantsMore(agent, missing))) return answerForParent(agent, start, answer);
      agent.progress = { ...agent.progress, notes: [requestForMissing(missing)] };
    }
  });
  if (end.kind === 'continuesAsNew') return continueAgent<DelegationWorkflow>(nextStart(start, life));
  const { progress } = life.agent;
  const result = delegationResult(start, progress, baseline ?? progress.session, end.text);
  if (end.kind === 'skipped') return { ...result, skipped: true, ...(end.by === '' ? {} : { skippedBy: end.by }) };
  return end.value === undefined ? result : { ...result, value: end.value };
}

/** Input of the next execution, which need not catch up with its session if this one did. */
function nextStart({ late: _late, ...start }: DelegationStart, life: AgentLifecycle): StartPayload {
  const late = life.agent.shared?.isBehind === true ? ({ late: true } as const) : {};
  return startPayload({ ...start, ...late, resume: life.carryOver() });
}

function requestForMissing(missing: readonly string[]): string {
  return `You were expected to write: ${missing.join(', ')}. Write each as an artifact with write_artifact, or as a file with write_file, then send your final message again.`;
}

/**
 * Asks an operator about missing artifacts. False when none decided in time: the agent then ends without the artifacts.
 */
async function operatorWantsMore(agent: Agent, missing: readonly string[]): Promise<boolean> {
  let hasFailed = false;
  try {
    await withOperatorRetry(agent, { name: 'final message' }, () => {
      if (hasFailed) return Promise.resolve();
      hasFailed = true;
      const names = missing.join(', ');
      return Promise.reject(
        failure('Delegation.Incomplete', `The agent answered without writing the expected ${names}.`),
      );
    });
    return true;
  } catch (error) {
    if (rootCause(error).type === 'Delegation.Incomplete') return false;
    throw error;
  }
}

const wholeAnswer = 'FULL_ANSWER.md';
/** Failures that leave the answer without a summary. */
const limitFailures = new Set<string | undefined>(['Budget.Exceeded', 'Agent.TurnLimit'] satisfies FailureType[]);

/**
 * Returns what reaches the parent: the answer itself or, if it is too long for the parent's context, a summary. A batch
 * shows as much of each output as fits, and a relay has no context that could grow, so neither needs a summary.
 */
function answerForParent(agent: Agent, start: DelegationStart, answer: AgentAnswer): Answered | Promise<Answered> {
  const isReturnedWhole = agent.shared !== null || start.returnsFiles === true || fitsSummary(answer);
  return isReturnedWhole || !('ref' in answer.text) ? answer : summarizeLongAnswer(agent, answer, answer.text.ref);
}

/**
 * Stores an answer as an artifact, and asks the agent once for a summary, unless it is structured: its value is part of
 * the result anyway. Without a usable summary, the result only names the artifact.
 */
async function summarizeLongAnswer(agent: Agent, answer: AgentAnswer, ref: BlobRef): Promise<Answered> {
  const { characters, value } = answer;
  await recordEvents(agent, [artifactWritten({ name: wholeAnswer, ref })]);
  const text = `The answer has ${characters} characters and is stored in full as the artifact ${wholeAnswer}.`;
  if (value !== undefined) return { kind: 'answered', text: { text }, value };
  return { kind: 'answered', text: (await summaryOf(agent, characters)) ?? { text } };
}

async function summaryOf(agent: Agent, characters: number): Promise<SpilledText | undefined> {
  agent.progress = { ...agent.progress, notes: [summaryRequest(characters)] };
  const summary = await withOperatorRetry(agent, { name: 'summary' }, () => askIfAllowed(agent));
  if (summary === undefined || !fitsSummary(summary) || summary.toolCalls.length > 0) return undefined;
  // The agent may have written the summary in its usual form or without. Its text is the one in the form, if it has it.
  return summary.text;
}

/**
 * Calls the model unless a limit prevents it: an agent that has its answer must not hand off or fail only because it
 * can't summarize it.
 */
async function askIfAllowed(agent: Agent): Promise<TurnReply | undefined> {
  try {
    return await runTurn(agent, { withoutTools: true });
  } catch (error) {
    if (error instanceof ContextWindowFull || limitFailures.has(rootCause(error).type)) return undefined;
    throw error;
  }
}

/** Whether an answer is short enough to be its own summary. */
function fitsSummary({ characters }: { readonly characters: number }): boolean {
  return characters <= maxSummaryCharacters;
}

function summaryRequest(characters: number): string {
  return (
    `Your answer has ${characters} characters; at most ${maxSummaryCharacters} reach the delegating agent. ` +
    `The full answer is stored as the artifact ${wholeAnswer}. Reply now with a self-contained summary of at most ` +
    `${maxSummaryCharacters} characters. Do not call tools.`
  );
}
