import { setTimeout as sleep } from 'node:timers/promises';
import { outcomeOf } from '../../../client/agent/outcome';
import { startRun } from '../../../client/agent/start';
import { setCurrentVersion } from '../../../client/version/versions';
import { runWorkflowId } from '../../../domain/kernel';
import { createGate, say as answer } from '../../../testing/scripted-model';
import type { CliContext } from '../../context';
import type { ScriptedStage } from '../scripted-story';
import { claim, type Claim, runFor } from '../stage';

const [old, recent] = ['v1', 'v2'];

/** Story: workers with new code start beside the old ones, while a run is in progress. */
export async function versionStory(context: CliContext, stage: ScriptedStage): Promise<Claim[]> {
  const say = (line: string): void => context.terminal.print(line);
  const taskQueue = `${stage.taskQueue}-versioned`;
  const start = async (build: string) => {
    const settings = { BATON_TASK_QUEUE: taskQueue, BATON_DEPLOYMENT: taskQueue, BATON_BUILD_ID: build };
    const worker = await stage.startWorker(settings);
    await makeCurrent(stage, taskQueue, build);
    return worker;
  };
  const gate = createGate();
  const [before, after] = [runFor(stage, 'Take your time.'), runFor(stage, 'Answer at once.')];
  const calls = stage.model.calls.length;
  stage.play(async ({ systemText, firstUserText }) => {
    if (`${systemText}${firstUserText}`.includes('Take your time.')) await gate.opened;
    return answer('Done.');
  });
  say('\nNew workflow code beside a run in progress');

  const workers = [await start(old)];
  await startRun(stage.client, taskQueue, before);
  await stage.model.waitForCall(calls);
  say(`  run ${before.runId} began with version ${old}, and its model is still answering`);
  workers.push(await start(recent));
  await startRun(stage.client, taskQueue, after);
  say(`  version ${recent} is the current one, and run ${after.runId} was started`);
  const ends = [await outcomeOf(stage.client, after.runId)];
  gate.open();
  ends.push(await outcomeOf(stage.client, before.runId));
  const versions = await Promise.all([before, after].map(({ runId }) => versionOf(stage, runId)));
  say(`  they ended with ${versions.join(' and ')}`);
  for (const worker of workers) worker.kill('SIGTERM');
  await Promise.all(workers.map(({ ended }) => ended));
  return [
    claim(
      'a run ended with the version that it began with, while a new one began with the new version',
      versions.join() === [old, recent].join() && ends.every(({ kind }) => kind === 'completed'),
    ),
  ];
}

/** The server knows a version only some moments after its worker has begun to poll. */
async function makeCurrent({ client }: ScriptedStage, deployment: string, build: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await setCurrentVersion(client, deployment, build);
      return;
    } catch (error) {
      if (attempt === 100) throw error;
      await sleep(200);
    }
  }
}

async function versionOf({ client }: ScriptedStage, runId: string): Promise<string> {
  const { raw } = await client.workflow.getHandle(runWorkflowId(runId)).describe();
  return raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId ?? 'no version';
}
