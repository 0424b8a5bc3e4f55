import { allHandlersFinished, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { AgentActivities } from '../activities/interface';
import { defaultHandoff } from '../domain/agent/settings';
import { nextStep, type ModelReply } from '../domain/model/reply';
import { afterInterruption } from '../domain/run/progress';
import { preparing } from '../temporal-config/activity-options';
import { locationOf, withTuning, type Agent } from './agent';
import { askModel, WindowFull } from './ask-model';
import { checkedAnswer } from './check-answer';
import { failure } from './failures';
import { orAskOperator } from './hold';
import { passBaton } from './pass-baton';
import { runTools } from './run-tools';

/** Asks the model, runs the tools it wants, and repeats until it answers in the form that is asked for. */
export async function runAgent(agent: Agent): Promise<ModelReply> {
  for (;;) {
    const reply = await takeTurn(agent);
    if (reply !== undefined) {
      const { output } = agent.progress.opened;
      const answer = output === undefined ? reply : await checkedAnswer(agent, output, reply);
      if (answer !== undefined) return answer;
    }
    // Nothing is under way here: the place for everything that wants a new execution.
    if (hasLooseChanges(agent)) await foldWorkspace(agent);
    if (windowIsFull(agent)) await passBaton(agent);
    if (historyIsLong(agent)) await agent.startOver();
  }
}

/** The reply, when it is the model's answer; undefined when there is more to do. */
async function takeTurn(agent: Agent): Promise<ModelReply | undefined> {
  const name = `turn ${agent.progress.calls + 1}`;
  const reply = await orAskOperator(agent, { name }, () => askUnlessFull(agent));
  // Not as a part of the step above: what goes wrong with a handoff is put to operators once, as just that.
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
 * The reply, or undefined when the window has no room for another call. What can't go on by itself is a failure here, so
 * that an operator may have the turn tried again.
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
  if (step === 'refused') throw failure('Model.Refused', 'The model declined to go on.');
  if (step !== 'contextExceeded') return reply;
  throw failure('Model.ContextExceeded', `The conversation no longer fits into the window of ${settings.model.name}.`);
}

function windowIsFull({ settings, progress }: Agent): boolean {
  const { at } = settings.handoff ?? defaultHandoff;
  return progress.occupancy > at * settings.model.window;
}

/** So many changes are told to every tool; more are made part of the tree, since each of them is in history every time. */
const maxLooseChanges = 8;

export function hasLooseChanges({ progress: { workspace } }: Agent): boolean {
  return workspace !== null && workspace.changes.length > maxLooseChanges;
}

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

/** Only at a turn's end, when nothing is under way: what is pending would not be carried over. */
export function historyIsLong({ settings, progress }: Agent): boolean {
  const limit = settings.tuning?.turnsPerExecution;
  const asked = limit !== undefined && progress.calls % limit === 0;
  return (asked || workflowInfo().continueAsNewSuggested) && allHandlersFinished();
}
