import { randomUUID } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { descendantsQuery } from '../../client/agent/find-agent';
import { startRun } from '../../client/agent/start';
import { setPausedContract } from '../../domain/operator';
import { createGate, delegationDepth, reviewers } from '../../testing/scripted-model';
import type { CliContext } from '../context';
import { asked, eachOnce, type ScriptedStage, showEnd } from './scripted-story';
import { claim, type Claim, runFor } from './stage';

/** Story: a malformed signal, a reset in the middle of a batch, and a store that goes away while the model answers. */
export async function troubleStory(context: CliContext, stage: ScriptedStage): Promise<Claim[]> {
  const say = (line: string): void => context.terminal.print(line);
  const before = stage.model.calls.length;
  const input = runFor(stage, 'Have README.md and src/gauge.js reviewed at the same time; then answer with REVIEW.md.');
  const gate = createGate();
  const script = reviewers({ subjects: ['README.md', 'src/gauge.js'] });
  stage.play(async (call) => {
    if (delegationDepth(call) === 1) await gate.opened;
    return script(call);
  });
  say('\nTrouble in the middle of a batch');

  const { workflowId } = await startRun(stage.client, stage.taskQueue, input);
  // The call of the root, and the first calls of both reviewers, which wait for the gate.
  await stage.model.waitForCall(before + 2);
  await stage.client.workflow.getHandle(workflowId).signal(setPausedContract.name);
  say('  the run received a signal without its content');
  await resetToLastTask(stage, workflowId);
  say('  it was reset while two subagents were in the middle of a model call');
  if (stage.storeDir === undefined) gate.open();
  else {
    await withoutStore(stage.storeDir, () => {
      gate.open();
    });
    say('  the store was gone while the model answered, and came back two seconds later');
  }
  const { outcome, answer } = await showEnd(context, stage, input.runId);
  const isOver = await nothingOpenBelow(stage, workflowId);
  return [
    claim('after all this, the run ended with an answer', outcome.kind === 'completed'),
    claim('both reviews arrived, each once', (answer.match(/^- /gm) ?? []).length === 2),
    claim('no answer was paid for twice', eachOnce(asked(stage, before))),
    claim('nothing below the run is still open', isOver),
  ];
}

/** Takes the run back to the workflow task that it completed last. */
async function resetToLastTask({ client }: ScriptedStage, workflowId: string): Promise<void> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  const task = events?.filter((event) => event.workflowTaskCompletedEventAttributes).at(-1);
  await client.workflowService.resetWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId },
    reason: 'demo',
    requestId: randomUUID(),
    workflowTaskFinishEventId: task?.eventId ?? null,
  });
}

async function withoutStore(folder: string, act: () => void): Promise<void> {
  await rename(folder, `${folder}.away`);
  try {
    act();
    await sleep(2_000);
  } finally {
    await rename(`${folder}.away`, folder);
  }
}

/** The server's list of workflows is a moment behind, so this looks again for a while. */
async function nothingOpenBelow({ client }: ScriptedStage, workflowId: string): Promise<boolean> {
  const query = `${descendantsQuery(workflowId)} AND ExecutionStatus = 'Running'`;
  const deadline = Date.now() + 20_000;
  while (Date.now() < deadline) {
    const { count } = await client.workflow.count(query);
    if (count === 0) return true;
    await sleep(100);
  }
  return false;
}
