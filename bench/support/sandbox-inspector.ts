import { Session } from 'node:inspector';

/** What a call of the DevTools protocol returned, in the thread that it was sent to. */
type Answer = Readonly<Record<string, unknown>>;

/**
 * Talks to the threads in which the workers of this process run workflows, over the DevTools protocol. Create it before
 * the workers: it only sees threads that start later.
 */
export class SandboxInspector {
  private readonly session = new Session();
  private readonly threads: string[] = [];
  private readonly waiting = new Map<number, (answer: Answer) => void>();
  private sent = 0;

  constructor() {
    this.session.connect();
    this.session.on('NodeWorker.attachedToWorker', ({ params }) => this.threads.push(params.sessionId));
    this.session.on('NodeWorker.detachedFromWorker', ({ params }) => {
      this.threads.splice(this.threads.indexOf(params.sessionId), 1);
    });
    this.session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
      const { id, result } = JSON.parse(params.message) as { id?: number; result?: Answer };
      if (id !== undefined) this.waiting.get(id)?.(result ?? {});
    });
    this.session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
  }

  /** Returns the bytes that all threads use on their heaps after a garbage collection. */
  async heapBytes(): Promise<number> {
    await this.all('HeapProfiler.collectGarbage');
    const used = await this.all('Runtime.getHeapUsage');
    return used.reduce((sum, { usedSize }) => sum + Number(usedSize), 0);
  }

  /** Returns the bytes that the main thread uses on its heap after a garbage collection. */
  async mainHeapBytes(): Promise<number> {
    await new Promise<void>((resolve) => {
      this.session.post('HeapProfiler.collectGarbage', () => {
        resolve();
      });
    });
    return process.memoryUsage().heapUsed;
  }

  /** Sends a command to every thread. Returns their answers. */
  all(method: string, params: object = {}): Promise<Answer[]> {
    return Promise.all(
      this.threads.map(
        (sessionId) =>
          new Promise<Answer>((resolve) => {
            this.sent += 1;
            this.waiting.set(this.sent, resolve);
            const message = JSON.stringify({ id: this.sent, method, params });
            this.session.post('NodeWorker.sendMessageToWorker', { message, sessionId });
          }),
      ),
    );
  }

  close(): void {
    this.session.disconnect();
  }
}
