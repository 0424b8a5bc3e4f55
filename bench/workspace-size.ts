import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
    const megabytes = await inWorkerProcess(environment.variables, async () => {
      const took = await seconds(() => work(environment, folder, print));
      print(`${workspaceFiles} files, ${workspaceBytes} bytes: the whole run took ${took.toFixed(1)} s`);
    });
    print(`memory of the worker: at most ${megabytes ?? '(not known here)'} MB (bound ${mostMegabytes})`);
    const holds = megabytes === undefined || megabytes < mostMegabytes;
    print(holds ? 'ok' : 'BOUND EXCEEDED');
    return holds;
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

async function work(environment: BenchEnvironment, folder: string, print: (line: string) => void): Promise<void> {
  const handle = await playRun(environment, {
    runId: newRunId(),
    goal: 'Look around and write some files.',
    workspace: { root: folder },
    model: { name: 'claude-sonnet-5-5', maxTokens: 1_500, window: 200_000 },
    limits: defaultLimits,
  });
  const { events = [] } = await handle.fetchHistory();
  const scheduled = events?.find(
    (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === mountWorkspaceActivity.name,
  );
  const completed = events?.find((event) =>
    event.activityTaskCompletedEventAttributes?.scheduledEventId?.eq(scheduled?.eventId ?? 0),
  );
  const took = Number(completed?.eventTime?.seconds ?? 0) - Number(scheduled?.eventTime?.seconds ?? 0);
  print(`mounted in ${took} s`);
}

/** Runs the work beside a worker process, and returns the most memory that the process used, where the system says so. */
async function inWorkerProcess(
  variables: Readonly<Record<string, string>>,
  work: () => Promise<void>,
): Promise<number | undefined> {
  const limits = { BATON_WORKSPACE_MAX_ENTRIES: '60000', BATON_WORKSPACE_MAX_BYTES: '2GiB' };
  const env = { ...process.env, ...variables, ...limits, BATON_TASK_QUEUE: batonQueue };
  const worker = fork(require.resolve('../worker/main'), { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const ended = once(worker, 'exit');
  try {
    await once(worker, 'message');
    await work();
    const status = await readFile(`/proc/${worker.pid}/status`, 'utf8').catch(() => '');
    const kilobytes = /VmHWM:\s+(\d+) kB/.exec(status)?.[1];
    return kilobytes === undefined ? undefined : Math.round(Number(kilobytes) / 1000);
  } finally {
    worker.kill('SIGTERM');
    await ended;
  }
}
