import { type Harness, say, type Script, startHarness } from 'baton-agents/testing';
import { NativeConnection } from '@temporalio/worker';
import { createOrdersWorker } from './orders-worker.js';

/** Plays the model. */
export const script: Script = () => say('ask: the address is new, and 40 kg is ten times the usual amount');

/** Runs this project's own worker beside Baton's, which the harness has. */
export async function withOrdersWorker(harness: Harness, work: (taskQueue: string) => Promise<void>): Promise<void> {
  const connection = await NativeConnection.connect({ address: harness.address });
  const taskQueue = `${harness.taskQueue}-orders`;
  const orders = await createOrdersWorker({ connection, namespace: 'default', taskQueue });
  await orders.runUntil(work(taskQueue));
  await connection.close();
}

/** Runs the existing workflow. */
export async function tryOut(harness: Harness, taskQueue: string, print: (line: string) => void): Promise<void> {
  const workflowId = `check-4711-${taskQueue}`;
  const args = ['4711', harness.taskQueue];
  const workflow = await harness.client.workflow.start('checkOrder', { workflowId, taskQueue, args });
  print(String(await workflow.result()));
}

async function main(): Promise<void> {
  const harness = await startHarness({ script });
  try {
    await withOrdersWorker(harness, (taskQueue) => tryOut(harness, taskQueue, console.log));
  } finally {
    await harness.close();
  }
}

if (require.main === module) void main();
