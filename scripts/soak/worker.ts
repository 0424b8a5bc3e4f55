// A worker of the soak: Baton's own program, which also reports the memory that it uses when it is asked.
import { join } from 'node:path';
import { SandboxInspector } from '../../bench/support/sandbox-inspector';

/** Bytes on the heaps after a garbage collection. */
export interface HeapReport {
  /** Heap of the main thread, which runs activities. */
  readonly main: number;
  /** Heaps of the threads that run workflows. */
  readonly sandbox: number;
}

// Before the worker, because it only sees threads that start later.
const inspector = new SandboxInspector();

async function report(): Promise<void> {
  const sandbox = await inspector.heapBytes();
  const main = await inspector.mainHeapBytes();
  process.send?.({ main, sandbox } satisfies HeapReport);
}

process.on('message', () => void report());
void import(join(__dirname, '..', '..', 'dist', 'worker', 'main.js'));
