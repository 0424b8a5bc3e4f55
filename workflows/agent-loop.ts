import { allHandlersFinished, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { AgentActivities } from '../activities/interface';
import { nextStep, type ModelReply } from '../domain/model/reply';
import { afterInterruption, afterReply } from '../domain/run/progress';
import { callingModel, preparing } from '../temporal-config/activity-options';
import { locationOf, withTuning, type Agent } from './agent';
import { failure } from './failures';
import { runTools } from './run-tools';

/** Asks the model, runs the tools it wants, and repeats until it answers. */
export async function runAgent(agent: Agent): Promise<ModelReply> {
  for (;;) {
    const reply = await askModel(agent);
    switch (nextStep(reply)) {
      case 'answer':
        return reply;
      case 'runTools':
        agent.report('running tools', reply.toolCalls.map(({ name }) => name).join(', '));
        await runTools(agent, reply.toolCalls);
        break;
      case 'askAgain':
        agent.progress = afterInterruption(agent.progress, reply);
        break;
      case 'refused':
        throw failure('Model.Refused', 'The model declined to go on.');
      case 'contextExceeded':
        throw failure(
          'Model.ContextExceeded',
          `The conversation no longer fits into the window of ${agent.settings.model.name}.`,
        );
    }
    await foldWorkspace(agent);
    if (historyIsLong(agent)) await agent.startOver();
  }
}

/** One turn of the conversation: tells the model what has happened since the last one. */
export async function askModel(agent: Agent): Promise<ModelReply> {
  const { settings, progress } = agent;
  const { maxTurns } = settings.limits;
  if (progress.calls >= maxTurns) throw failure('Agent.TurnLimit', `No answer within ${maxTurns} turns.`);
  const turn = progress.calls + 1;
  agent.report('thinking', `${settings.model.name}, turn ${turn}`);
  const { callModel } = proxyActivities<AgentActivities>(withTuning(callingModel, settings, `turn ${turn}`));
  const reply = await callModel({
    ...locationOf(agent),
    head: progress.head,
    outcomes: progress.outcomes,
    notes: progress.notes,
    identity: { execution: workflowInfo().firstExecutionRunId, call: progress.calls, try: 0 },
  });
  agent.progress = afterReply(agent.progress, reply);
  return reply;
}

/** So many changes are told to every tool; more are made part of the tree, since each of them is in history every time. */
const maxLooseChanges = 8;

export async function foldWorkspace(agent: Agent): Promise<void> {
  const { workspace } = agent.progress;
  if (workspace === null || workspace.changes.length <= maxLooseChanges) return;
  const fold = proxyActivities<AgentActivities>(withTuning(preparing, agent.settings, 'fold changes into the tree'));
  const root = await fold.foldWorkspace({ ...locationOf(agent), root: workspace.root, changes: workspace.changes });
  agent.progress = { ...agent.progress, workspace: { base: workspace.base, root, changes: [] } };
}

/** Only at a turn's end, when nothing is under way: what is pending would not be carried over. */
export function historyIsLong({ settings, progress }: Agent): boolean {
  const limit = settings.tuning?.turnsPerExecution;
  const asked = limit !== undefined && progress.calls % limit === 0;
  return (asked || workflowInfo().continueAsNewSuggested) && allHandlersFinished();
}
