import { Client } from '@temporalio/client';
import { randomBytes } from 'node:crypto';
import { outcomeOf } from '../../../client/agent/outcome';
import { startRun } from '../../../client/agent/start';
import { BatonClientPlugin } from '../../../client/client-plugin';
import { runWorkflowId } from '../../../domain/kernel';
import { say as answer } from '../../../testing/scripted-model';
import type { CliContext } from '../../context';
import type { ScriptedStage } from '../scripted-story';
import { claim, type Claim, runFor } from '../stage';

const secret = 'the-harbour-is-for-sale';

/** Story: a client and a worker with a key, and a server and a store without. */
export async function encryptionStory(context: CliContext, stage: ScriptedStage): Promise<Claim[]> {
  const say = (line: string): void => context.terminal.print(line);
  const taskQueue = `${stage.taskQueue}-encrypted`;
  const key = { id: 'demo', bytes: randomBytes(32) };
  const { connection, options } = stage.client;
  const client = new Client({ connection, namespace: options.namespace, plugins: [new BatonClientPlugin([key])] });
  const input = runFor(stage, `Keep to yourself that ${secret}.`);
  stage.play(({ systemText }) => answer(systemText.includes(secret) ? `Nobody hears that ${secret}.` : 'What?'));
  say('\nA run that only those with the key can read');

  const setting = `${key.id}:base64:${key.bytes.toString('base64')}`;
  const worker = await stage.startWorker({ BATON_TASK_QUEUE: taskQueue, BATON_ENCRYPTION_KEYS: setting });
  const { workflowId } = await startRun(client, taskQueue, input);
  say(`  run ${input.runId} started, encrypted with the key "${key.id}"`);
  const outcome = await outcomeOf(client, input.runId);
  worker.kill('SIGTERM');
  await worker.ended;
  say(stage.whereIs(workflowId));

  const refusal = await refusalWithoutKey(context, input.runId);
  say(`  without the key: ${refusal}`);
  const text = outcome.kind === 'completed' && 'text' in outcome.result.answer ? outcome.result.answer.text : '';
  return [
    claim('who has the key started the run and read its answer', text === `Nobody hears that ${secret}.`),
    claim('the server has no word of it', !(await serverKnows(stage, input.runId))),
    claim(
      'whoever opens the store without the key is refused, in one sentence',
      refusal.includes(`is encrypted with the key "${key.id}"`),
    ),
  ];
}

/** Whether the secret is anywhere in the history that the server keeps. */
async function serverKnows({ client }: ScriptedStage, runId: string): Promise<boolean> {
  const history = await client.workflow.getHandle(runWorkflowId(runId)).fetchHistory();
  return textsIn(history).some((text) => text.includes(secret));
}

function textsIn(value: unknown): string[] {
  if (value instanceof Uint8Array) return [Buffer.from(value).toString('latin1')];
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** What somebody is told who reads everything that the run has stored. */
async function refusalWithoutKey(context: CliContext, runId: string): Promise<string> {
  const store = await context.openStore();
  try {
    for await (const { bytes } of store.forRun(runId).everything?.() ?? [])
      if (Buffer.from(bytes).includes(secret)) return 'everything can be read';
    return 'nothing is there';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await store.close?.();
  }
}
