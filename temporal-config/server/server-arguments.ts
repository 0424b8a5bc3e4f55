import type { Environment } from './environment';
import { loopback, type Ports } from './ports';

/**
 * A default dev server polls its task queues a few times a second: 81 ms for an activity that could take 20, a second for
 * a timer of 100 ms. And its SQLite waits for the disk on every write: WAL with NORMAL survives any crash of the process,
 * only a power cut may take the last moments back.
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
  // The server would otherwise ask the internet for newer versions of itself.
  '--dynamic-config-value',
  'frontend.enableServerVersionCheck=false',
  '--dynamic-config-value',
  'system.enableActivityEagerExecution=true',
  '--log-level',
  'warn',
];

/** The database comes first: `isServerOf` recognises the process by it. */
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

const inherited = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'TZ', 'XDG_CONFIG_HOME'];

/** The server outlives the command that started it, so it gets none of its secrets, and no TEMPORAL_ variable. */
export function serverEnvironment(env: Environment): Record<string, string> {
  return Object.fromEntries(inherited.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}
