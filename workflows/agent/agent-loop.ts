import { allHandlersFinished, workflowInfo } from '@temporalio/workflow';
import { afterCutReply, repairRequest, type TurnReply } from '../../domain/agent';
import { handoffThreshold } from '../../domain/handoff';
import { stepAfterReply } from '../../domain/model';
import { failure } from '../failures';
import { handOff } from '../handoff/hand-off';
import { mustCheckParent, requireOpenParent } from '../open-parent';
import { withOperatorRetry } from '../operator/operator-retry';
import { runTools } from '../tool/run-tools';
import { foldPendingChanges, hasUnfoldedChanges } from '../workspace/mount-and-fold';
import { type Agent, keepTurnStart } from './agent';
import { type Answered, type ContinuesAsNew, endExecution } from './agent-lifecycle';
import { ContextWindowFull, runTurn } from './run-turn';
import { watchRepetition } from './watch-repetition';

/** The answer of the model, and its length. */
export interface AgentAnswer extends Answered {
  readonly characters: number;
}

/**
 * Calls the model and runs the tools it requests until it answers in the required output format. The loop itself awaits
 * what a turn has to wait for, because every promise costs time: docs/decisions/workflow-waits-little.md.
 */
export async function runAgent(agent: Agent): Promise<AgentAnswer | ContinuesAsNew> {
  for (;;) {
    keepTurnStart(agent);
    const name = `turn ${agent.progress.calls + 1}`;
    let reply: TurnReply;
    try {
      reply = await withOperatorRetry(agent, { name, when: needsOperator }, () => runTurn(agent));
    } catch (error) {
      // Not inside the step above: a failed handoff must open one incident, and that for the handoff itself.
      if (error instanceof ContextWindowFull) return handOff(agent);
      throw error;
    }
    const working = goOn(agent, reply);
    const answer = working === undefined ? undefined : await working;
    if (answer !== undefined) return answer;
    // Turns that are taken already come first.
    if (agent.ahead.length > 0) continue;
    // No call is in progress here, so this is the place to start a new execution.
    if (hasUnfoldedChanges(agent)) await foldPendingChanges(agent);
    if (mustCheckParent(agent)) await requireOpenParent(agent);
    if (isWindowFull(agent)) return handOff(agent);
    if (shouldContinueAsNew(agent)) return endExecution(agent);
  }
}

/**
 * Does what a reply asks for. Returns its answer; undefined if there is more to do, and at once if there is nothing to
 * wait for.
 */
function goOn(agent: Agent, reply: TurnReply): Promise<AgentAnswer | undefined> | undefined {
  const step = stepAfterReply(reply);
  if (step === 'answer') return answerIn(agent, reply);
  const running = step === 'runTools' ? startTools(agent, reply) : undefined;
  if (step !== 'runTools') agent.progress = afterCutReply(agent.progress, reply);
  if (running === undefined) return watchRepetition(agent, reply.toolCalls);
  return running.then(() => watchRepetition(agent, reply.toolCalls));
}

/** Runs the tools that have not run inside the turn. Undefined at once if there are none, and nothing to wait for. */
function startTools(agent: Agent, reply: TurnReply): Promise<void> | undefined {
  const left = reply.toolCalls.filter((_, index) => !reply.ran.has(index));
  if (left.length > 0) agent.report('running tools', left.map(({ name }) => name).join(', '));
  return runTools(agent, reply);
}

/** An agent whose context window is full hands off, which needs no operator. */
function needsOperator(error: unknown): boolean {
  return !(error instanceof ContextWindowFull);
}

function isWindowFull({ settings, progress }: Agent): boolean {
  return progress.occupancy > handoffThreshold(settings);
}

/** Whether to continue as new. Ask only at the end of a turn: work in progress would not be carried over. */
function shouldContinueAsNew({ settings, progress, firstCall }: Agent): boolean {
  const limit = settings.tuning?.turnsPerExecution;
  return mayContinueAsNew(limit !== undefined && progress.calls - firstCall >= limit);
}

/** Whether an execution ends now, because its own limit is reached or the server suggests it. */
export function mayContinueAsNew(limitReached: boolean): boolean {
  return (limitReached || workflowInfo().continueAsNewSuggested) && allHandlersFinished();
}

/**
 * Returns the answer of a reply. If it violates the agent's output format, the model is told and gets another turn
 * (returns undefined); a second violation in a row is a failure.
 */
async function answerIn(agent: Agent, { text, characters, checked }: TurnReply): Promise<AgentAnswer | undefined> {
  if (checked === undefined) return { kind: 'answered', text, characters };
  if ('violation' in checked) {
    await askForRepair(agent, checked.violation);
    return undefined;
  }
  agent.progress = { ...agent.progress, repairing: false };
  return { kind: 'answered', ...checked };
}

async function askForRepair(agent: Agent, violation: string): Promise<void> {
  let isSecond = agent.progress.repairing;
  await withOperatorRetry(agent, { name: 'final message' }, () => {
    if (!isSecond) return Promise.resolve();
    // An operator's retry gives the model one more turn.
    isSecond = false;
    return Promise.reject(failure('Output.Invalid', violation));
  });
  agent.progress = { ...agent.progress, repairing: true, notes: [...agent.progress.notes, repairRequest(violation)] };
}
