import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { millisecondsOf } from '../client/why/why';
import { defaultLimits } from '../domain/agent';
import { mountWorkspaceActivity } from '../domain/workspace';
import { type BenchEnvironment, startEnvironment } from './support/environment';
import { newRunId, playRun } from './support/runs';
import { seconds } from './support/statistics';
import { batonQueue } from './support/workers';
import { filesPerFolder, workspaceBytes, workspaceFiles } from './workloads';

const mostMegabytes = 300;

/** Mounts a large folder in a worker process, works on it, and measures the memory of that process. */
export async function run(print: (line: string) => void): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'baton-bench-workspace-'));
  const environment = await startEnvironment(require.resolve('./models/workspace-size'));
  try {
    print(`files written in ${(await seconds(() => writeFiles(folder))).toFixed(1)} s`);
    const worker = await WorkerProcess.start(environment.variables);
    try {
      const idle = worker.most();
      const mount = await work(environment, folder);
      print(`${workspaceFiles} files, ${workspaceBytes} bytes: mounted in ${(mount.end - mount.start) / 1000} s`);
      const most = worker.most(mount);
      print(`memory of the worker: ${idle} MB when idle, at most ${most} MB during the mount (bound ${mostMegabytes})`);
      print(`at most ${worker.most()} MB in the whole run, with a search through all files`);
      const holds = most < mostMegabytes;
      print(holds ? 'ok' : 'BOUND EXCEEDED');
      return holds;
    } finally {
      await worker.stop();
    }
  } finally {
    await environment.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Every hundredth file is forty times as large as the others. */
async function writeFiles(folder: string): Promise<void> {
  const usual = Math.floor(workspaceBytes / workspaceFiles / 1.39);
  for (let start = 0; start < workspaceFiles; start += filesPerFolder) {
    const below = join(folder, `folder-${start / filesPerFolder}`);
    await mkdir(below);
    const names = Array.from({ length: filesPerFolder }, (_, index) => start + index);
    await Promise.all(
      names.map((number) =>
        writeFile(join(below, `file-${number}.txt`), noise(number % 100 === 0 ? 40 * usual : usual)),
      ),
    );
  }
}

function noise(bytes: number): string {
  return randomBytes(Math.ceil(bytes / 2))
    .toString('hex')
    .replace(/.{79}/g, '$&\n')
    .slice(0, bytes);
}

interface Period {
  readonly start: number;
  readonly end: number;
}

/** Runs an agent on the folder. Returns when the folder was mounted. */
async function work(environment: BenchEnvironment, folder: string): Promise<Period> {
  const handle = await playRun(environment, {
    runId: newRunId(),
    goal: 'Look around and write some files.',
    workspace: { root: folder },
    model: { name: 'claude-sonnet-5-5', maxTokens: 1_500, window: 200_000 },
    limits: defaultLimits,
  });
  const events = (await handle.fetchHistory()).events ?? [];
  const scheduled = events.findIndex(
    (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === mountWorkspaceActivity.name,
  );
  const completed = events.slice(scheduled).find((event) => event.activityTaskCompletedEventAttributes);
  return { start: millisecondsOf(events[scheduled]?.eventTime), end: millisecondsOf(completed?.eventTime) };
}

/** A worker in a separate process whose memory is measured several times a second. Linux only. */
class WorkerProcess {
  private readonly samples: { readonly at: number; readonly megabytes: number }[] = [];
  private readonly timer: NodeJS.Timeout;

  private constructor(private readonly child: ChildProcess) {
    this.timer = setInterval(() => {
      this.sample();
    }, 100);
  }

  static async start(variables: Readonly<Record<string, string>>): Promise<WorkerProcess> {
    const limits = { BATON_WORKSPACE_MAX_ENTRIES: '60000', BATON_WORKSPACE_MAX_BYTES: '2GiB' };
    const env = { ...process.env, ...variables, ...limits, BATON_TASK_QUEUE: batonQueue };
    const child = fork(require.resolve('../worker/main'), { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    await once(child, 'message');
    const worker = new WorkerProcess(child);
    worker.sample();
    return worker;
  }

  /** Returns the most memory that the process used, in megabytes, during a period or in all. */
  most({ start, end }: Period = { start: 0, end: Infinity }): number {
    const within = this.samples.filter(({ at }) => at >= start && at <= end);
    return Math.max(...within.map(({ megabytes }) => megabytes));
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.child.kill('SIGTERM');
    await once(this.child, 'exit');
  }

  private sample(): void {
    const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${this.child.pid}/status`, 'utf8'))?.[1];
    this.samples.push({ at: Date.now(), megabytes: Math.round(Number(kilobytes) / 1000) });
  }
}
