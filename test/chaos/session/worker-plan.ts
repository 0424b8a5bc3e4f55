/** What a worker process is started with. */
export interface ChaosWorkerPlan {
  readonly address: string;
  readonly taskQueue: string;
  readonly storeDir: string;
  readonly scratchDir: string;
  readonly modelUrl: string;
  /** Whether the machine has a sandbox for commands. */
  readonly hasCommands: boolean;
}

/** Ways in which the store of a worker can be in trouble. */
export type StoreTrouble = 'full' | 'read-only' | 'slow';

/** Orders that a worker process takes while it runs. */
export type WorkerOrder =
  | { readonly order: 'store'; readonly trouble: StoreTrouble | null }
  | { readonly order: 'lose-answers'; readonly loses: boolean }
  | { readonly order: 'report' };

/** What a worker process says. */
export type WorkerMessage = { readonly ready: true } | WorkerReport;

/** How a worker is. */
export interface WorkerReport {
  /** Bytes in use after a garbage collection. */
  readonly heapBytes: number;
  /** Longest time since the last report in which the process got nothing done, in milliseconds. */
  readonly longestStallMs: number;
}
