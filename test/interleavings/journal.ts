import { setImmediate } from 'node:timers/promises';
import type { RunStore } from '../../domain/store';
import { openFileStore } from '../../store/file/open-file-store';
import type { Model, Step } from './explore';
import { MemoryDisk } from './memory-disk';

// Workers that all have an answer to the same call and journal it: each in its own process, with its own store object, on one disk.
// The real store runs here. It stops before every call of the file system that another process could notice, and all orders are
// explored, also those in which a process is killed or the power is cut. A state can't be copied, so every one is reached by playing
// its schedule from the start.

/** The two steps with which an activity journals a record. Tests replace them by broken ones. */
export interface JournalProtocol {
  readonly newDisk: () => MemoryDisk;
  readonly putIfAbsent: (run: RunStore, key: string, bytes: Uint8Array, later: boolean) => Promise<Uint8Array>;
  readonly flush: (run: RunStore) => Promise<void>;
}
export const journalProtocol: JournalProtocol = {
  newDisk: () => new MemoryDisk(),
  putIfAbsent: (run, key, bytes, later) => run.putIfAbsent(key, bytes, later ? { later: true } : {}),
  flush: (run) => run.flush(),
};

/** How much may happen. */
export interface JournalBounds {
  /** One worker each: whether it publishes first and syncs later, as activities do, or both at once. */
  readonly writers: readonly ('later' | 'now')[];
  readonly kills: number;
  readonly powerCuts: number;
}

const root = '/store';
const runId = 'r';
const key = 'answer/one';
const journalFolder = `${root}/runs/${runId}/journal`;

/** What happens next: a process does its next call, or something happens to it. */
type Choice = string;

interface Reached {
  readonly schedule: readonly Choice[];
  readonly key: string;
  readonly choices: readonly Choice[];
  readonly wrong: string | undefined;
}

export function journalModel(bounds: JournalBounds, protocol: JournalProtocol = journalProtocol): Model<Reached> {
  return {
    initial: {
      schedule: [],
      key: '',
      choices: bounds.writers.map((_, index) => `worker ${index} starts`),
      wrong: undefined,
    },
    steps: ({ schedule, choices }): Step<Reached>[] =>
      choices.map((choice) => ({ name: choice, next: () => play(bounds, protocol, [...schedule, choice]) })),
    key: (state) => `${state.schedule.length === 0 ? 'start' : ''}${state.key}`,
    check: (state) => state.wrong,
  };
}

async function play(bounds: JournalBounds, protocol: JournalProtocol, schedule: readonly Choice[]): Promise<Reached> {
  const stage = new Stage(bounds, protocol);
  await stage.setUp();
  for (const choice of schedule) await stage.take(choice);
  return { schedule, key: stage.key(), choices: stage.choices(), wrong: stage.wrong() ?? (await stage.wrongAtEnd()) };
}

/** One worker's attempt. A worker that was killed is followed by another one, with an answer of its own. */
class Worker {
  /** The calls so far. Together with the disk, they determine what happens next. */
  readonly done: string[] = [];
  waiting: { readonly call: string; readonly go: () => void } | undefined;
  isDead = false;
  hasStarted = false;
  reported: string | undefined;
  published: string | undefined;
  private isFree = true;

  constructor(readonly answer: string) {}

  /** While it gets ready, it does not wait for its turn. */
  readonly turn = (call: string, place: string): Promise<void> => {
    const isSeen = place.startsWith(journalFolder) && !['open', 'close', 'create', 'write'].includes(call);
    if (this.isFree || (!isSeen && !this.isDead)) return Promise.resolve();
    return new Promise((go) => {
      this.waiting = { call, go };
    });
  };

  begin(): void {
    this.isFree = false;
    this.hasStarted = true;
  }

  next(): void {
    const { call = '', go } = this.waiting ?? {};
    this.waiting = undefined;
    this.done.push(call);
    go?.();
  }
}

class Stage {
  private readonly disk: MemoryDisk;
  private readonly workers: Worker[] = [];
  private readonly runs: RunStore[] = [];
  private kills = 0;
  private powerCuts = 0;
  private attempts = 0;
  /** All answers that were reported, and those published since the last power cut. */
  private readonly reported = new Set<string>();
  private readonly published = new Set<string>();

  constructor(
    private readonly bounds: JournalBounds,
    private readonly protocol: JournalProtocol,
  ) {
    this.disk = protocol.newDisk();
  }

  async setUp(): Promise<void> {
    for (const index of this.bounds.writers.keys()) await this.replaceWorker(index);
  }

  /** Starts a process, up to the point where it has its answer. */
  private async replaceWorker(index: number): Promise<void> {
    const worker = new Worker(`answer ${++this.attempts}`);
    this.workers[index] = worker;
    const store = await openFileStore(root, { files: this.disk.files(worker.turn) });
    const run = store.forRun(runId);
    this.runs[index] = run;
    // What happens once per process is not what is explored.
    await run.putIfAbsent(`warm-up/${worker.answer}`, Buffer.from('x'), { later: true });
    await run.flush();
  }

  choices(): Choice[] {
    if (this.wrong() !== undefined) return [];
    const calls = this.workers.flatMap((worker, index) => {
      if (!worker.hasStarted) return [`worker ${index} starts`];
      return worker.waiting === undefined ? [] : [`worker ${index}: ${worker.waiting.call}`];
    });
    const busy = this.workers.flatMap((worker, index) => (worker.waiting === undefined ? [] : [index]));
    return [
      ...calls,
      ...(this.kills < this.bounds.kills ? busy.map((index) => `worker ${index} is killed`) : []),
      ...(this.powerCuts < this.bounds.powerCuts && this.workers.some(({ hasStarted }) => hasStarted)
        ? ['power cut, files are lost', 'power cut, files are torn']
        : []),
    ];
  }

  async take(choice: Choice): Promise<void> {
    const index = Number(/^worker (\d)/.exec(choice)?.[1] ?? -1);
    if (choice.startsWith('power cut')) await this.cutPower(choice.endsWith('torn') ? 'torn' : 'lost');
    else if (choice.endsWith('is killed')) await this.kill(index);
    else if (choice.endsWith('starts')) this.start(index);
    else this.workers[index]?.next();
    await settle();
  }

  private start(index: number): void {
    const worker = this.workers[index];
    const run = this.runs[index];
    if (worker === undefined || run === undefined) return;
    worker.begin();
    const journal = async (): Promise<void> => {
      const later = this.bounds.writers[index] === 'later';
      const won = await this.protocol.putIfAbsent(run, key, Buffer.from(worker.answer), later);
      if (worker.isDead) return;
      worker.published = String(Buffer.from(won));
      this.published.add(worker.published);
      await this.protocol.flush(run);
      this.report(worker, worker.published);
    };
    journal().catch((error: unknown) => {
      this.report(worker, `failed: ${String(error)}`);
    });
  }

  private report(worker: Worker, answer: string): void {
    if (worker.isDead) return;
    worker.reported = answer;
    this.reported.add(answer);
  }

  private async kill(index: number): Promise<void> {
    this.kills += 1;
    const worker = this.workers[index];
    if (worker !== undefined) worker.isDead = true;
    await this.replaceWorker(index);
  }

  private async cutPower(effect: 'lost' | 'torn'): Promise<void> {
    this.powerCuts += 1;
    for (const worker of this.workers) worker.isDead = true;
    this.disk.cutPower(effect);
    this.published.clear();
    for (const index of this.bounds.writers.keys()) await this.replaceWorker(index);
  }

  key(): string {
    const workers = this.workers.map(({ answer, done, waiting, hasStarted, published, reported }) =>
      JSON.stringify([answer, done, waiting?.call, hasStarted, published, reported]),
    );
    const { kills, powerCuts } = this;
    const all = [[...this.reported].sort(), [...this.published].sort()];
    return JSON.stringify([this.disk.describe(journalFolder), workers, kills, powerCuts, all]);
  }

  wrong(): string | undefined {
    const failed = this.workers.find(({ reported }) => reported?.startsWith('failed'));
    if (failed !== undefined) return failed.reported;
    if (this.reported.size > 1) return `two answers were reported: ${[...this.reported].join(' and ')}`;
    if (this.published.size > 1) return `two answers were published: ${[...this.published].join(' and ')}`;
    return undefined;
  }

  /** When all have ended, whoever looks finds what was reported, also after a power cut. */
  async wrongAtEnd(): Promise<string | undefined> {
    const [reported] = this.reported;
    if (reported === undefined || this.workers.some((worker) => worker.reported === undefined)) return undefined;
    this.disk.cutPower('lost');
    const reader = new Worker('reader');
    const store = await openFileStore(root, { files: this.disk.files(reader.turn) });
    const found = await store.forRun(runId).find(key);
    return String(found && Buffer.from(found)) === reported ? undefined : `${reported} was reported and is lost`;
  }
}

/** Returns when every process waits for its turn or has ended. Between two turns a process only computes. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 3; turns += 1) await setImmediate();
}
