import { join, resolve } from 'node:path';
import { z } from 'zod';
import { variable, type Environment } from '../server/environment';
import { defaultCacheDir } from '../server/paths';
import { defaultTaskQueue } from '../task-queues';
import { InvalidSettingError } from './errors';
import { listenAddress, tracesUrl } from './telemetry-settings';

/** Everything the environment says to Baton, read once at the edge. Safe to print: secrets show only as present or not. */
export interface Settings {
  readonly stateDir: string;
  readonly storeDir: string;
  readonly cacheDir: string;
  readonly taskQueue: string;
  readonly model: string | undefined;
  readonly modelBaseUrl: string | undefined;
  readonly maxTokens: number | undefined;
  readonly window: number | undefined;
  readonly stickyTimeoutMs: number | undefined;
  readonly hasApiKey: boolean;
  /** How much a worker says: structured logs of compositions are at INFO. */
  readonly logLevel: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR';
  /** Where a worker serves its metrics; nowhere without it. */
  readonly metricsAddress: string | undefined;
  /** Where a worker sends its traces; nowhere without it. */
  readonly tracesUrl: string | undefined;
}

const folder = { allowed: 'a folder', schema: z.string().refine((path) => !path.includes('\0')) };
const name = { allowed: 'letters, digits and . _ / : @ -', schema: z.string().regex(/^[\w./:@-]{1,200}$/) };
const count = {
  allowed: 'a whole number above 0',
  schema: z
    .string()
    .regex(/^[1-9]\d{0,14}$/)
    .transform(Number),
};
const logLevel = { allowed: 'DEBUG, INFO, WARN or ERROR', schema: z.enum(['DEBUG', 'INFO', 'WARN', 'ERROR']) };
const url = {
  allowed: 'an http or https address without user name or password',
  schema: z.url({ protocol: /^https?$/ }).refine((text) => {
    // Asked even about what is no address at all.
    if (!URL.canParse(text)) return false;
    const { username, password } = new URL(text);
    return username === '' && password === '';
  }),
};

/** Reads and checks the variables. An invalid one is an error that names it, never a silent default. */
export function readSettings(env: Environment = process.env, cwd: string = process.cwd()): Settings {
  const read = <T>(setting: string, { allowed, schema }: { allowed: string; schema: z.ZodType<T> }): T | undefined => {
    const value = variable(env, setting);
    if (value === undefined) return undefined;
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    // Whatever stands before an @ in an address may be a password.
    const shown = value.replace(/\/\/.*@/, '//…@');
    throw new InvalidSettingError(setting, `"${shown}" is not allowed`, `Set ${setting} to ${allowed}, or unset it.`);
  };
  const stateDir = resolve(cwd, read('BATON_STATE_DIR', folder) ?? join('.baton', 'state'));
  return {
    stateDir,
    storeDir: resolve(cwd, read('BATON_STORE_DIR', folder) ?? join(stateDir, 'store')),
    cacheDir: resolve(cwd, read('BATON_CACHE_DIR', folder) ?? defaultCacheDir(env)),
    taskQueue: read('BATON_TASK_QUEUE', name) ?? defaultTaskQueue,
    model: read('BATON_MODEL', name),
    modelBaseUrl: read('ANTHROPIC_BASE_URL', url),
    maxTokens: read('BATON_MAX_TOKENS', count),
    window: read('BATON_WINDOW', count),
    stickyTimeoutMs: read('BATON_STICKY_TIMEOUT_MS', count),
    hasApiKey: variable(env, 'ANTHROPIC_API_KEY') !== undefined,
    logLevel: read('BATON_LOG_LEVEL', logLevel) ?? 'WARN',
    metricsAddress: read('BATON_METRICS_ADDRESS', listenAddress),
    tracesUrl:
      read('BATON_TRACES_URL', url) ??
      tracesUrl(read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', url), read('OTEL_EXPORTER_OTLP_ENDPOINT', url)),
  };
}
