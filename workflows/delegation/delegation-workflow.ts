import { continueAsNew, proxyActivities } from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import { initialProgress, settingsOf } from '../../domain/agent';
import {
  type DelegationResult,
  delegationResult,
  type DelegationStart,
  maxSummaryCharacters,
  missingArtifacts,
} from '../../domain/delegation';
import type { FailureType } from '../../domain/kernel';
import type { ModelReply } from '../../domain/model';
import type { Session, SessionSchema, SessionSnapshot } from '../../domain/session';
import type { BlobRef, SpilledText } from '../../domain/store';
import { shortActivityOptions } from '../../temporal-config/activity-options';
import { activityOptions, type Agent, agentWorkflowId, type Resumed } from '../agent/agent';
import { beginAgent, type MaybePromise } from '../agent/agent-lifecycle';
import { runAgent } from '../agent/agent-loop';
import { callModel, ContextWindowFull } from '../agent/call-model';
import { failure, rootCause } from '../failures';
import { withOperatorRetry } from '../operator/operator-retry';
import { recordEvents } from '../session/change-session';
import { hydrateVerified } from '../session/transfer-session';

type ResumableDelegation = DelegationStart & { readonly resume?: Resumed };

/** Signature of `delegationWorkflow`. */
export type DelegationWorkflow = (start: ResumableDelegation) => Promise<DelegationResult>;

/** Runs one delegation: an agent that starts from its parent's session snapshot and returns nothing but its result. */
export function runDelegation(
  schema: SessionSchema,
  { resume, ...start }: ResumableDelegation,
): Promise<DelegationResult> {
  const { snapshot } = start;
  /** The session that it starts from. Its result contains only the differences from it. */
  let baseline: Session | undefined;
  const hydrate = (from: SessionSnapshot): Session => (baseline = hydrateVerified(schema, from));
  const withBaseline = <T>(use: (session: Session) => MaybePromise<T>): MaybePromise<T> => {
    if (baseline !== undefined) return use(baseline);
    return 'inline' in snapshot ? use(hydrate(snapshot.inline)) : load(start, snapshot.ref).then(hydrate).then(use);
  };
  return beginAgent({
    schema,
    settings: settingsOf(start),
    delegationId: start.delegationId,
    depth: start.depth,
    sharedSession: start.sharedSession,
    paused: start.paused,
    resumed: resume,
    open: () => withBaseline((session) => initialProgress(start.opened, session, start.workspace, start.budget)),
    work: (agent) => withBaseline((session) => finish(agent, start, session)),
    skipped: (agent, placeholder) => {
      const summary = { text: placeholder };
      return { ...delegationResult(start, agent.progress, baseline ?? agent.progress.session, summary), skipped: true };
    },
    startOver: (resumed) => continueAsNew<DelegationWorkflow>({ ...start, resume: resumed }),
  });
}

/**
 * Runs the agent until it answers. If expected artifacts are missing, an agent with the policy `hold` waits for an
 * operator; any other agent ends, and its result names them.
 */
async function finish(agent: Agent, start: DelegationStart, baseline: Session): Promise<DelegationResult> {
  for (;;) {
    const reply = await runAgent(agent);
    const missing = missingArtifacts(start, agent.progress.session, baseline);
    if (missing.length > 0 && agent.settings.onFailure === 'hold' && (await operatorWantsMore(agent, missing))) {
      const request = `You were expected to write these artifacts: ${missing.join(', ')}. Write them with write_artifact, then send your final message again.`;
      agent.progress = { ...agent.progress, notes: [request] };
      continue;
    }
    // Must come before `delegationResult`, because a long answer becomes an artifact.
    const summary = returnsFullAnswer(agent, start, reply) ? reply.text : await summarizeLongAnswer(agent, reply);
    return delegationResult(start, agent.progress, baseline, summary);
  }
}

/**
 * Whether the answer is returned without a summary. A batch shows as much of each output as fits, and a relay has no
 * context that could grow, so neither needs one.
 */
function returnsFullAnswer({ shared }: Agent, { returnsFiles }: DelegationStart, reply: ModelReply): boolean {
  return shared !== null || returnsFiles === true || fitsSummary(reply);
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

function load({ opened, ...settings }: DelegationStart, ref: BlobRef): Promise<SessionSnapshot> {
  const { loadSnapshot } = proxyActivities<AgentActivities>(
    activityOptions(shortActivityOptions, settings, 'load the session'),
  );
  return loadSnapshot({ runId: settings.runId, storeId: opened.storeId, ref });
}

const wholeAnswer = 'FULL_ANSWER.md';
const limits = new Set<string | undefined>(['Budget.Exceeded', 'Agent.TurnLimit'] satisfies FailureType[]);

/**
 * Stores an answer that is too long for the parent's context as an artifact, and asks the agent once for a summary.
 * Without a usable summary, the result only names the artifact.
 */
async function summarizeLongAnswer(agent: Agent, reply: ModelReply): Promise<SpilledText> {
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
function fitsSummary({ characters }: ModelReply): boolean {
  return characters <= maxSummaryCharacters;
}

function request({ characters }: ModelReply): string {
  return (
    `Your answer has ${characters} characters; at most ${maxSummaryCharacters} reach the delegating agent. ` +
    `The full answer is stored as the artifact ${wholeAnswer}. Reply now with a self-contained summary of at most ` +
    `${maxSummaryCharacters} characters. Do not call tools.`
  );
}
