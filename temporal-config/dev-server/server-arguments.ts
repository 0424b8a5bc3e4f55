import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { Environment } from '../node/setup-error';
import type { StatePaths } from './paths';
import { loopback, type Ports } from './ports';
import { runProgram } from './processes';

/**
 * With its default settings, a dev server polls its queues only a few times per second: an activity that could take 20
 * ms takes 81, and a timer of 100 ms takes a second. Its SQLite also waits for the disk on every write. WAL with NORMAL
 * survives any crash of the process; only a power cut may lose the last moments.
 */
const settings = [
  '--sqlite-pragma',
  'journal_mode=WAL',
  '--sqlite-pragma',
  'synchronous=NORMAL',
  '--dynamic-config-value',
  'history.transferProcessorMaxPollRPS=1000',
  '--dynamic-config-value',
  'history.timerProcessorMaxPollRPS=1000',
  '--dynamic-config-value',
  'history.timerProcessorMaxTimeShift="10ms"',
  // Otherwise the server checks the internet for newer versions of itself.
  '--dynamic-config-value',
  'frontend.enableServerVersionCheck=false',
  '--dynamic-config-value',
  'system.enableActivityEagerExecution=true',
  // By default, a failing workflow task can be searched for only after its fifth attempt, which takes minutes.
  '--dynamic-config-value',
  'system.numConsecutiveWorkflowTaskProblemsToTriggerSearchAttribute=2',
  // Runs that wait on one task queue take turns, instead of the first one having all its tasks done before the next.
  '--dynamic-config-value',
  'matching.enableFairness=true',
  '--log-level',
  'warn',
];

/**
 * One partition for every task queue. The server divides the rate limit of a queue between its partitions, four by default,
 * so one that has emptied wastes its share. Only for a database that was created with it: tasks in other partitions would
 * never be found.
 */
const onePartition = [
  '--dynamic-config-value',
  'matching.numTaskqueueReadPartitions=1',
  '--dynamic-config-value',
  'matching.numTaskqueueWritePartitions=1',
];

/** Arguments for the layout of the task queues in a database. */
export async function layoutArguments({ database, onePartition: marker }: StatePaths): Promise<string[]> {
  if (!existsSync(database)) await writeFile(marker, '');
  return existsSync(marker) ? onePartition : [];
}

/** Returns the arguments of the server. The database comes first, because `isServerOf` recognizes the process by it. */
export function serverArguments(database: string, ports: Ports): string[] {
  return [
    'server',
    'start-dev',
    '--db-filename',
    database,
    '--ip',
    loopback,
    '--ui-ip',
    loopback,
    '--port',
    String(ports.grpc),
    '--ui-port',
    String(ports.ui),
    ...settings,
  ];
}

// The last two are settings of Go: how much memory a server may use before it looks for what it no longer needs.
const inherited = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'TZ', 'XDG_CONFIG_HOME', 'GOGC', 'GOMEMLIMIT'];

/**
 * Returns the environment of the server. The server outlives the command that started it, so it gets none of its
 * secrets and no TEMPORAL_ variables.
 */
export function serverEnvironment(env: Environment): Record<string, string> {
  return Object.fromEntries(inherited.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

const noNews = '--ui-disable-news-fetch';

/**
 * Returns the option that stops the Web UI from fetching news from the internet with every page. Checks first that the
 * CLI has the option, because an older CLI would exit on an unknown one.
 */
export async function newsFeedOff(binary: string): Promise<string[]> {
  const help = await runProgram(binary, ['help', 'server', 'start-dev'], { timeoutMs: 5_000 }).catch(() => '');
  return help.includes(noNews) ? [noNews] : [];
}
