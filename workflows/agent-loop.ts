import { allHandlersFinished, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { AgentActivities } from '../activities/interface';
import { nextStep, type ModelReply } from '../domain/model/reply';
import { afterInterruption, afterReply, afterTools } from '../domain/run/progress';
import type { SpilledText } from '../domain/store/spilled';
import { callingModel } from '../temporal-config/activity-options';
import { withTuning, type Agent } from './agent';
import { failure } from './failures';
import { runTools } from './run-tools';

/** Asks the model, runs the tools it wants, and repeats until it answers. */
export async function runAgent(agent: Agent): Promise<SpilledText> {
  for (;;) {
    const reply = await askModel(agent);
    agent.progress = afterReply(agent.progress, reply);
    switch (nextStep(reply)) {
      case 'answer':
        return reply.text;
      case 'runTools':
        agent.report('running tools', reply.toolCalls.map(({ name }) => name).join(', '));
        agent.progress = afterTools(agent.progress, await runTools(agent, reply.toolCalls));
        break;
      case 'askAgain':
        agent.progress = afterInterruption(agent.progress, reply);
        break;
      case 'refused':
        throw failure('Model.Refused', 'The model declined to go on.');
      case 'contextExceeded':
        throw failure(
          'Model.ContextExceeded',
          `The conversation no longer fits into the window of ${agent.input.model.name}.`,
        );
    }
    if (historyIsLong(agent)) await agent.startOver();
  }
}

async function askModel(agent: Agent): Promise<ModelReply> {
  const { input, progress } = agent;
  if (progress.calls >= input.limits.maxTurns) {
    throw failure('Agent.TurnLimit', `No answer within ${input.limits.maxTurns} turns.`);
  }
  const turn = progress.calls + 1;
  agent.report('thinking', `${input.model.name}, turn ${turn}`);
  const { callModel } = proxyActivities<AgentActivities>(withTuning(callingModel, input, `turn ${turn}`));
  return callModel({
    runId: input.runId,
    storeId: progress.opened.storeId,
    head: progress.head,
    outcomes: progress.outcomes,
    notes: progress.notes,
    identity: { execution: workflowInfo().firstExecutionRunId, call: progress.calls, try: 0 },
  });
}

/** Only at a turn's end, when nothing is under way: what is pending would not be carried over. */
function historyIsLong({ input, progress }: Agent): boolean {
  const limit = input.tuning?.turnsPerExecution;
  const asked = limit !== undefined && progress.calls % limit === 0;
  return (asked || workflowInfo().continueAsNewSuggested) && allHandlersFinished();
}
