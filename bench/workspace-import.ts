import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { millisecondsOf } from '../client/why/why';
import { defaultLimits } from '../domain/agent';
import { mountWorkspaceActivity } from '../domain/workspace';
import type { Benchmark } from './runner/benchmark';
import { compared, measured } from './runner/rows';
import type { BenchEnvironment } from './support/environment';
import { newRunId, playRun } from './support/runs';
import { seconds } from './support/statistics';
import { type Period, WorkerProcess } from './support/worker-process';

const name = 'workspace.import.50k';
const filesPerFolder = 50;
const readAtOnce = 16;
const mostMegabytes = 300;

/** An agent that works on a large folder. The worker is a separate process, whose memory is measured as well. */
export const workspaceImport: Benchmark = {
  names: [name],
  about: 'Time to import 50,000 files of 1 GiB in all, against reading and hashing them; memory of the worker.',
  async run(context) {
    const [files, bytes] = context.quick ? [100, 100_000] : [50_000, 1024 ** 3];
    const environment = await context.environment('workspace-import');
    const folder = await context.folder();
    const paths = await writeFiles(folder, files, bytes);
    context.log(`${files} files written`);
    const worker = await WorkerProcess.start(environment.variables);
    const [values, baselines, memory]: [number[], number[], number[]] = [[], [], []];
    try {
      const idle = worker.most();
      for (let round = 0; round < context.rounds(1); round += 1) {
        baselines.push(await seconds(() => readAll(paths)));
        const mount = await play(environment, folder);
        values.push((mount.end - mount.start) / 1_000);
        memory.push(worker.most(mount));
        context.log(`read in ${baselines.at(-1)!.toFixed(1)} s, imported in ${values.at(-1)!.toFixed(1)} s`);
      }
      context.log(`memory: ${idle} MB when idle, at most ${worker.most()} MB with a search through all files`);
    } finally {
      await worker.stop();
    }
    const bound = { of: 'value', is: mostMegabytes } as const;
    return [
      compared({ name, unit: 's', wants: 'less' }, values, baselines),
      measured({ name: `${name}.memory`, unit: 'MB', wants: 'less', bound }, memory),
    ];
  },
};

/** Every hundredth file is forty times as large as the others. */
async function writeFiles(folder: string, files: number, bytes: number): Promise<string[]> {
  const usual = Math.floor(bytes / files / 1.39);
  const paths: string[] = [];
  for (let start = 0; start < files; start += filesPerFolder) {
    const below = join(folder, `folder-${start / filesPerFolder}`);
    await mkdir(below);
    const added = Array.from({ length: filesPerFolder }, (_, index) => join(below, `file-${start + index}.txt`));
    await Promise.all(
      added.map((path, index) => writeFile(path, lines((start + index) % 100 === 0 ? 40 * usual : usual))),
    );
    paths.push(...added);
  }
  return paths;
}

function lines(bytes: number): string {
  return randomBytes(Math.ceil(bytes / 2))
    .toString('hex')
    .replace(/.{79}/g, '$&\n')
    .slice(0, bytes);
}

/** What every import has to do at least. */
async function readAll(paths: readonly string[]): Promise<void> {
  for (let first = 0; first < paths.length; first += readAtOnce) {
    const contents = await Promise.all(paths.slice(first, first + readAtOnce).map((path) => readFile(path)));
    for (const content of contents) createHash('sha256').update(content).digest('hex');
  }
}

/** Runs an agent on the folder. Returns when the folder was imported. */
async function play(environment: BenchEnvironment, folder: string): Promise<Period> {
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
