import { connectWorker, readSettings, resolveConnection, runWorker } from 'baton-agents/worker';
import { createOrdersWorker } from './orders-worker.js';

/** Runs this project's worker, with the connection that Baton's settings name. It stops on SIGTERM and SIGINT. */
async function runOrders(): Promise<void> {
  const target = await resolveConnection(readSettings());
  const connection = await connectWorker(target);
  const worker = await createOrdersWorker({ connection, namespace: target.namespace, taskQueue: 'orders' });
  await worker.run();
  await connection.close();
}

/** Runs Baton's worker, and beside it this project's. Baton's is first, because it configures the log of both. */
async function main(): Promise<void> {
  let orders: Promise<void> | undefined;
  await runWorker({
    settings: readSettings(),
    apiKey: process.env['ANTHROPIC_API_KEY'],
    log: console.error,
    onReady: () => {
      orders = runOrders();
    },
  });
  await orders;
}

void main();
