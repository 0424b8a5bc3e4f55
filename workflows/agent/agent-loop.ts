import { allHandlersFinished, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import { afterCutReply, repairRequest } from '../../domain/agent';
import { handoffThreshold } from '../../domain/handoff';
import { type ModelReply, stepAfterReply } from '../../domain/model';
import type { CheckedAnswer } from '../../domain/prompt';
import type { BlobRef, SpilledText } from '../../domain/store';
import { shortActivityOptions } from '../../temporal-config/activity-options';
import { failure } from '../failures';
import { handOff } from '../handoff/hand-off';
import { mustCheckParent, requireOpenParent } from '../open-parent';
import { withOperatorRetry } from '../operator/operator-retry';
import { runTools } from '../tool/run-tools';
import { foldPendingChanges, hasUnfoldedChanges } from '../workspace/mount-and-fold';
import { activityOptions, type Agent, storeLocation } from './agent';
import { type Answered, type ContinuesAsNew, endExecution } from './agent-lifecycle';
import { callModel, ContextWindowFull } from './call-model';
import { watchRepetition } from './watch-repetition';

/** The answer of the model, and its length. */
export interface AgentAnswer extends Answered {
  readonly characters: number;
}

/** Calls the model and runs the tools it requests until it answers in the required output format. */
export async function runAgent(agent: Agent): Promise<AgentAnswer | ContinuesAsNew> {
  for (;;) {
    const end = await takeTurn(agent);
    if (end?.kind === 'continuesAsNew') return end;
    const { output } = agent.progress.opened;
    const answer = end === undefined || output === undefined ? end : await validateAnswer(agent, output, end);
    if (answer !== undefined) return answer;
    // No call is in progress here, so this is the place to start a new execution.
    if (hasUnfoldedChanges(agent)) await foldPendingChanges(agent);
    if (mustCheckParent(agent)) await requireOpenParent(agent);
    if (isWindowFull(agent)) return handOff(agent);
    if (shouldContinueAsNew(agent)) return endExecution(agent);
  }
}

/** Makes one model call, and runs the tools it requests. Returns undefined if there is more to do. */
async function takeTurn(agent: Agent): Promise<AgentAnswer | ContinuesAsNew | undefined> {
  const name = `turn ${agent.progress.calls + 1}`;
  const reply = await withOperatorRetry(agent, { name }, () => callModelIfRoom(agent));
  // Not inside the step above: a failed handoff must open one incident, and that for the handoff itself.
  if (reply === undefined) return handOff(agent);
  switch (stepAfterReply(reply)) {
    case 'answer':
      return { kind: 'answered', text: reply.text, characters: reply.characters };
    case 'runTools':
      agent.report('running tools', reply.toolCalls.map(({ name }) => name).join(', '));
      await runTools(agent, reply.toolCalls);
      break;
    default:
      agent.progress = afterCutReply(agent.progress, reply);
  }
  const stopped = watchRepetition(agent, reply.toolCalls);
  if (stopped !== undefined) await stopped;
  return undefined;
}

/**
 * Calls the model. Returns undefined if the context window has no room for another call. Stop reasons that the agent
 * can't continue from become failures here, inside the step, so that an operator can have the turn retried.
 */
function callModelIfRoom(agent: Agent): Promise<ModelReply | undefined> {
  return callModel(agent).then(
    (reply) => usable(agent, reply),
    (error: unknown) => {
      if (error instanceof ContextWindowFull) return undefined;
      throw error;
    },
  );
}

function usable({ settings }: Agent, reply: ModelReply): ModelReply {
  const step = stepAfterReply(reply);
  if (step === 'refused') throw failure('Model.Refused', 'The model refused to continue.');
  if (step !== 'contextExceeded') return reply;
  throw failure(
    'Model.ContextExceeded',
    `The conversation no longer fits into the context window of ${settings.model.name}.`,
  );
}

function isWindowFull({ settings, progress }: Agent): boolean {
  return progress.occupancy > handoffThreshold(settings);
}

/** Whether to continue as new. Ask only at the end of a turn: work in progress would not be carried over. */
export function shouldContinueAsNew({ settings, progress }: Agent): boolean {
  const limit = settings.tuning?.turnsPerExecution;
  const limitReached = limit !== undefined && progress.calls % limit === 0;
  return (limitReached || workflowInfo().continueAsNewSuggested) && allHandlersFinished();
}

/**
 * Checks an answer against the agent's output format. The first violation is sent to the model, which gets
 * another turn (returns undefined); a second one in a row is a failure.
 */
async function validateAnswer(agent: Agent, format: BlobRef, answer: AgentAnswer): Promise<AgentAnswer | undefined> {
  const checked = await checkFormat(agent, format, answer.text);
  if (!checked.ok) {
    await askForRepair(agent, checked.violation);
    return undefined;
  }
  agent.progress = { ...agent.progress, repairing: false };
  const { text, characters = answer.characters, value } = checked;
  return { kind: 'answered', text, characters, ...(value === undefined ? {} : { value }) };
}

/** Checks a message against an output format. */
export function checkFormat(agent: Agent, format: BlobRef, text: SpilledText): Promise<CheckedAnswer> {
  const { checkAnswer } = proxyActivities<AgentActivities>(
    activityOptions(shortActivityOptions, agent.settings, 'check the answer'),
  );
  return withOperatorRetry(agent, { name: 'checking the answer' }, () =>
    checkAnswer({ ...storeLocation(agent), format, text }),
  );
}

async function askForRepair(agent: Agent, violation: string): Promise<void> {
  let isSecond = agent.progress.repairing;
  await withOperatorRetry(agent, { name: 'final message' }, () => {
    if (!isSecond) return Promise.resolve();
    // An operator's retry gives the model one more turn.
    isSecond = false;
    return Promise.reject(failure('Output.Invalid', violation));
  });
  agent.progress = { ...agent.progress, repairing: true, notes: [repairRequest(violation)] };
}
