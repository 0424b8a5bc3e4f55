import { allHandlersFinished, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import { defaultHandoff } from '../../domain/agent/agent-settings';
import { nextStep, type ModelReply } from '../../domain/model/reply';
import { afterInterruption } from '../../domain/agent/progress';
import { preparing } from '../../temporal-config/activity-options';
import { locationOf, withTuning, type Agent } from './agent';
import { askModel, WindowFull } from './call-model';
import { checkedAnswer } from './check-answer';
import { failure } from '../failures';
import { orAskOperator } from '../operator/operator-retry';
import { passBaton } from '../handoff/hand-off';
import { runTools } from '../tool/run-tools';

/** Calls the model and runs the tools it requests until it answers in the required output format. */
export async function runAgent(agent: Agent): Promise<ModelReply> {
  for (;;) {
    const reply = await takeTurn(agent);
    if (reply !== undefined) {
      const { output } = agent.progress.opened;
      const answer = output === undefined ? reply : await checkedAnswer(agent, output, reply);
      if (answer !== undefined) return answer;
    }
    // No call is in progress here, so this is the place to start a new execution.
    if (hasLooseChanges(agent)) await foldWorkspace(agent);
    if (windowIsFull(agent)) await passBaton(agent);
    if (historyIsLong(agent)) await agent.startOver();
  }
}

/** Returns the reply if it is the model's answer, and undefined if there is more to do. */
async function takeTurn(agent: Agent): Promise<ModelReply | undefined> {
  const name = `turn ${agent.progress.calls + 1}`;
  const reply = await orAskOperator(agent, { name }, () => askUnlessFull(agent));
  // Not inside the step above: a failed handoff must open one incident, and that for the handoff itself.
  if (reply === undefined) return passBaton(agent);
  switch (nextStep(reply)) {
    case 'answer':
      return reply;
    case 'runTools':
      agent.report('running tools', reply.toolCalls.map(({ name }) => name).join(', '));
      await runTools(agent, reply.toolCalls);
      return undefined;
    default:
      agent.progress = afterInterruption(agent.progress, reply);
      return undefined;
  }
}

/**
 * Calls the model. Returns undefined if the context window has no room for another call. Stop reasons that the agent
 * can't continue from become failures here, inside the step, so that an operator can have the turn retried.
 */
function askUnlessFull(agent: Agent): Promise<ModelReply | undefined> {
  return askModel(agent).then(
    (reply) => usable(agent, reply),
    (error: unknown) => {
      if (error instanceof WindowFull) return undefined;
      throw error;
    },
  );
}

function usable({ settings }: Agent, reply: ModelReply): ModelReply {
  const step = nextStep(reply);
  if (step === 'refused') throw failure('Model.Refused', 'The model refused to continue.');
  if (step !== 'contextExceeded') return reply;
  throw failure(
    'Model.ContextExceeded',
    `The conversation no longer fits into the context window of ${settings.model.name}.`,
  );
}

function windowIsFull({ settings, progress }: Agent): boolean {
  const { at } = settings.handoff ?? defaultHandoff;
  return progress.occupancy > at * settings.model.window;
}

/**
 * Maximum changes passed to a tool call. Beyond it they are folded into the tree, because each change is recorded in
 * history with every call.
 */
const maxLooseChanges = 8;

/** Whether the workspace has more pending changes than a tool call should carry. */
export function hasLooseChanges({ progress: { workspace } }: Agent): boolean {
  return workspace !== null && workspace.changes.length > maxLooseChanges;
}

/** Folds the workspace's pending changes into a new tree. */
export async function foldWorkspace(agent: Agent): Promise<void> {
  const { workspace } = agent.progress;
  if (workspace === null) return;
  const fold = proxyActivities<AgentActivities>(withTuning(preparing, agent.settings, 'fold changes into the tree'));
  const { root: tree, changes } = workspace;
  const root = await orAskOperator(agent, { name: 'folding changes into the tree' }, () =>
    fold.foldWorkspace({ ...locationOf(agent), root: tree, changes }),
  );
  agent.progress = { ...agent.progress, workspace: { base: workspace.base, root, changes: [] } };
}

/** Whether to continue as new. Ask only at the end of a turn: work in progress would not be carried over. */
export function historyIsLong({ settings, progress }: Agent): boolean {
  const limit = settings.tuning?.turnsPerExecution;
  const limitReached = limit !== undefined && progress.calls % limit === 0;
  return (limitReached || workflowInfo().continueAsNewSuggested) && allHandlersFinished();
}
