import { join, resolve } from 'node:path';
import { z } from 'zod';
import { defaultCacheDir } from '../dev-server/paths';
import { defaultTaskQueue } from '../names';
import { defaultSlots, type WorkerPollers, workerRoles, type WorkerRole, type WorkerSlots } from '../task-queues';
import type { KeyRing } from '../../encryption/key-ring';
import { readEncryptionKeys } from './encryption-keys';
import { sandboxSetting } from './find-sandbox';
import { type LifecycleSettings, lifecycleSettings } from './lifecycle-settings';
import { type Environment, InvalidSettingError, type ReadSetting, readVariable } from './setup-error';
import { type StoreSetting, storeSetting } from './store-setting';
import { listenAddress, tracesUrl } from './telemetry-settings';

/**
 * Baton's settings from environment variables, read once at startup. Safe to print: of secrets, only their presence is
 * recorded.
 */
export interface Settings extends LifecycleSettings {
  /** Folder for the dev server's data and the default store. BATON_STATE_DIR; default: `.baton/state`. */
  readonly stateDir: string;
  /**
   * Where the store is: `file:<folder>`, `postgres://…` or `s3://…`. BATON_STORE; if that is unset, the folder
   * BATON_STORE_DIR; default: the folder `store` in the state folder.
   */
  readonly store: StoreSetting;
  /** Folder for downloaded or built programs. BATON_CACHE_DIR; default: `baton` in the user's cache folder. */
  readonly cacheDir: string;
  /** Task queue of runs and workers. BATON_TASK_QUEUE; default: `baton`. */
  readonly taskQueue: string;
  /**
   * How much a worker does at the same time, by kind of work. BATON_MODEL_SLOTS, BATON_TOOL_SLOTS and
   * BATON_CONTROL_SLOTS, default: 100 each; BATON_WORKFLOW_SLOTS, default: 40.
   */
  readonly slots: WorkerSlots;
  /** What a worker does. BATON_WORKER_ROLES; undefined for everything. */
  readonly roles: readonly WorkerRole[] | undefined;
  /** Requests for tasks that a worker keeps open. BATON_WORKFLOW_POLLERS and BATON_ACTIVITY_POLLERS; default: the SDK's. */
  readonly pollers: WorkerPollers;
  /** Threads that run workflow code. BATON_WORKFLOW_THREADS; undefined for the SDK's default. */
  readonly workflowThreads: number | undefined;
  /** Limits of providers by model, as JSON, or a file that contains them. BATON_MODEL_LIMITS; undefined for none. */
  readonly modelLimits: string | undefined;
  /** Model of new runs. BATON_MODEL; undefined when unset. */
  readonly model: string | undefined;
  /** Base URL of the model's API. ANTHROPIC_BASE_URL; undefined for the provider's own. */
  readonly modelBaseUrl: string | undefined;
  /**
   * Base URL of a server that speaks the Chat Completions API and serves models with the prefix `openai`.
   * BATON_OPENAI_BASE_URL; undefined for OpenAI's own.
   */
  readonly openAiBaseUrl: string | undefined;
  /** Base URL of Ollama, for models with the prefix `ollama`. OLLAMA_BASE_URL; undefined for the local server. */
  readonly ollamaBaseUrl: string | undefined;
  /** Maximum tokens of one model reply. BATON_MAX_TOKENS; undefined when unset. */
  readonly maxTokens: number | undefined;
  /** JSON file with prices by model. BATON_PRICES; undefined for the built-in prices. */
  readonly pricesFile: string | undefined;
  /** File with context windows and prices of models. BATON_MODELS; undefined for none. */
  readonly modelsFile: string | undefined;
  /** YAML or JSON file with the approval rules of a worker. BATON_APPROVE; undefined for none. */
  readonly approveFile: string | undefined;
  /** Context window of the model, in tokens. BATON_WINDOW; undefined when unset. */
  readonly window: number | undefined;
  /**
   * How long a workflow stays with the worker that has it cached, in milliseconds. BATON_STICKY_TIMEOUT_MS; undefined
   * for the worker's default.
   */
  readonly stickyTimeoutMs: number | undefined;
  /**
   * How many open workflows a worker keeps in memory. BATON_CACHED_WORKFLOWS; undefined for the worker's default.
   */
  readonly cachedWorkflows: number | undefined;
  /** JSON file with a worker's MCP servers. BATON_MCP_CONFIG; undefined for `.mcp.json` in the worker's folder. */
  readonly mcpConfig: string | undefined;
  /** What a worker may mount as a workspace. Undefined fields have the worker's defaults. */
  readonly workspace: WorkspaceSettings;
  /** How a worker runs the commands of agents. Undefined fields have the worker's defaults. */
  readonly commands: CommandSettings;
  /** Whether ANTHROPIC_API_KEY is set. */
  readonly hasApiKey: boolean;
  /** Log level of a worker. Structured logs of compositions are at INFO. BATON_LOG_LEVEL; default: WARN. */
  readonly logLevel: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR';
  /**
   * Regular expression, in the syntax of RE2. Whatever matches it is removed from failures and logs, in addition to what
   * looks like a secret. BATON_REDACT; undefined when unset.
   */
  readonly redact: string | undefined;
  /** Address at which a worker serves metrics. BATON_METRICS_ADDRESS; undefined for no metrics. */
  readonly metricsAddress: string | undefined;
  /** URL to which a worker sends traces. BATON_TRACES_URL or OpenTelemetry's own variables; undefined for no traces. */
  readonly tracesUrl: string | undefined;
  /**
   * Keys that everything is encrypted with: what is sent to Temporal, and what is stored. BATON_ENCRYPTION_KEYS;
   * undefined for no encryption.
   */
  readonly encryption: KeyRing | undefined;
  /** Whether traces contain what users, models and tools wrote. BATON_TRACE_CONTENTS; default: false. */
  readonly traceContents: boolean;
}

/** Limits of a workspace, and exceptions from what is left out. */
interface WorkspaceSettings {
  /** Maximum number of files, links and folders. BATON_WORKSPACE_MAX_ENTRIES. */
  readonly maxEntries: number | undefined;
  /** Maximum bytes of all files. BATON_WORKSPACE_MAX_BYTES. */
  readonly maxTotalBytes: number | undefined;
  /** Maximum bytes of one file. BATON_WORKSPACE_MAX_FILE_BYTES. */
  readonly maxFileBytes: number | undefined;
  /** Paths or names to mount although they may contain secrets. BATON_WORKSPACE_INCLUDE. */
  readonly include: readonly string[] | undefined;
}

/** The sandbox of commands, and what they may use. */
interface CommandSettings {
  /** `auto`, `bwrap`, `docker:<image>`, `podman:<image>`, `unsafe` or `off`. BATON_SANDBOX. */
  readonly sandbox: string | undefined;
  /** Folder for the copies of workspaces that commands run in. BATON_SCRATCH_DIR; default: `scratch` in the state folder. */
  readonly scratchDir: string;
  /** Names of variables that commands may be given. BATON_COMMAND_ENV. */
  readonly env: readonly string[] | undefined;
  /** Folders that commands may read. BATON_COMMAND_PATHS. */
  readonly readOnly: readonly string[] | undefined;
  readonly limits: {
    /** Maximum bytes of memory of one command. BATON_COMMAND_MEMORY. */
    readonly memoryBytes: number | undefined;
    /** Maximum seconds of one command. BATON_COMMAND_SECONDS. */
    readonly maxSeconds: number | undefined;
  };
}

const path = z.string().refine((text) => !text.includes('\0'));
const folder = { allowed: 'a folder', schema: path };
const file = { allowed: 'a file', schema: path };
const name = { allowed: 'letters, digits and . _ / : @ -', schema: z.string().regex(/^[\w./:@-]{1,200}$/) };
const count = {
  allowed: 'a positive integer',
  schema: z
    .string()
    .regex(/^[1-9]\d{0,14}$/)
    .transform(Number),
};
const units: Readonly<Record<string, number>> = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };
const size = {
  allowed: 'a positive integer, optionally followed by KiB, MiB or GiB',
  schema: z
    .string()
    .regex(/^[1-9]\d{0,11}(?:[KMG]iB)?$/)
    .transform((text) => parseInt(text, 10) * (units[text.slice(-3)] ?? 1)),
};
const list = {
  allowed: 'names or paths, separated by commas',
  schema: z.string().transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  ),
};
const slots = { allowed: 'an integer from 1 to 10000', schema: count.schema.refine((value) => value <= 10_000) };
const workflowSlots = {
  allowed: 'an integer from 2 to 10000',
  schema: slots.schema.refine((value) => value >= 2),
};
const pollers = { allowed: 'an integer from 1 to 1000', schema: count.schema.refine((value) => value <= 1_000) };
const workflowPollers = {
  allowed: 'an integer from 2 to 1000',
  schema: pollers.schema.refine((value) => value >= 2),
};
const threads = { allowed: 'an integer from 1 to 64', schema: count.schema.refine((value) => value <= 64) };
const roles = {
  allowed: `one or more of ${workerRoles.join(', ')}, separated by commas`,
  schema: list.schema.pipe(z.array(z.enum(workerRoles)).min(1)),
};
const cachedWorkflows = {
  allowed: '0 or an integer from 2 to 1000000',
  schema: z
    .string()
    .regex(/^(?:0|[1-9]\d{0,6})$/)
    .transform(Number)
    .refine((value) => value !== 1 && value <= 1_000_000),
};
const sandbox = {
  allowed: 'auto, bwrap, docker:<image>, podman:<image>, unsafe or off',
  schema: z.string().regex(sandboxSetting),
};
const seconds = { allowed: 'an integer from 1 to 3600', schema: count.schema.refine((value) => value <= 3_600) };
const logLevel = { allowed: 'DEBUG, INFO, WARN or ERROR', schema: z.enum(['DEBUG', 'INFO', 'WARN', 'ERROR']) };
const yesOrNo = { allowed: 'true or false', schema: z.enum(['true', 'false']).transform((text) => text === 'true') };
const url = {
  allowed: 'an http or https address without user name or password',
  schema: z.url({ protocol: /^https?$/ }).refine((text) => {
    // This refinement runs even if the text is not a URL.
    if (!URL.canParse(text)) return false;
    const { username, password } = new URL(text);
    return username === '' && password === '';
  }),
};

/**
 * Reads and validates the variables that docs/reference/environment.md lists, with their defaults. Throws an error that
 * names the variable if a value is invalid; never uses a default silently instead.
 */
export function readSettings(env: Environment = process.env, cwd: string = process.cwd()): Settings {
  const read = settingReader(env);
  const stateDir = resolve(cwd, read('BATON_STATE_DIR', folder) ?? join('.baton', 'state'));
  return {
    stateDir,
    store: storeSetting(read, cwd, stateDir),
    cacheDir: resolve(cwd, read('BATON_CACHE_DIR', folder) ?? defaultCacheDir(env)),
    taskQueue: read('BATON_TASK_QUEUE', name) ?? defaultTaskQueue,
    ...workerSettings(read),
    modelLimits: readVariable(env, 'BATON_MODEL_LIMITS'),
    model: read('BATON_MODEL', name),
    modelBaseUrl: read('ANTHROPIC_BASE_URL', url),
    openAiBaseUrl: read('BATON_OPENAI_BASE_URL', url),
    ollamaBaseUrl: read('OLLAMA_BASE_URL', url),
    maxTokens: read('BATON_MAX_TOKENS', count),
    pricesFile: read('BATON_PRICES', file),
    modelsFile: read('BATON_MODELS', file),
    approveFile: read('BATON_APPROVE', file),
    window: read('BATON_WINDOW', count),
    mcpConfig: inFolder(cwd, read('BATON_MCP_CONFIG', file)),
    workspace: {
      maxEntries: read('BATON_WORKSPACE_MAX_ENTRIES', count),
      maxTotalBytes: read('BATON_WORKSPACE_MAX_BYTES', size),
      maxFileBytes: read('BATON_WORKSPACE_MAX_FILE_BYTES', size),
      include: read('BATON_WORKSPACE_INCLUDE', list),
    },
    commands: commandSettings(read, cwd, stateDir),
    hasApiKey: readVariable(env, 'ANTHROPIC_API_KEY') !== undefined,
    logLevel: read('BATON_LOG_LEVEL', logLevel) ?? 'WARN',
    redact: readVariable(env, 'BATON_REDACT'),
    metricsAddress: read('BATON_METRICS_ADDRESS', listenAddress),
    tracesUrl:
      read('BATON_TRACES_URL', url) ??
      tracesUrl(read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', url), read('OTEL_EXPORTER_OTLP_ENDPOINT', url)),
    traceContents: read('BATON_TRACE_CONTENTS', yesOrNo) ?? false,
    encryption: readEncryptionKeys(env, cwd),
    ...lifecycleSettings(read),
  };
}

function workerSettings(
  read: ReadSetting,
): Pick<Settings, 'slots' | 'roles' | 'pollers' | 'workflowThreads' | 'stickyTimeoutMs' | 'cachedWorkflows'> {
  return {
    slots: slotSettings(read),
    roles: read('BATON_WORKER_ROLES', roles),
    pollers: {
      workflow: read('BATON_WORKFLOW_POLLERS', workflowPollers),
      activity: read('BATON_ACTIVITY_POLLERS', pollers),
    },
    workflowThreads: read('BATON_WORKFLOW_THREADS', threads),
    stickyTimeoutMs: read('BATON_STICKY_TIMEOUT_MS', count),
    cachedWorkflows: read('BATON_CACHED_WORKFLOWS', cachedWorkflows),
  };
}

function slotSettings(read: ReadSetting): WorkerSlots {
  return {
    model: read('BATON_MODEL_SLOTS', slots) ?? defaultSlots.model,
    tool: read('BATON_TOOL_SLOTS', slots) ?? defaultSlots.tool,
    control: read('BATON_CONTROL_SLOTS', slots) ?? defaultSlots.control,
    workflow: read('BATON_WORKFLOW_SLOTS', workflowSlots) ?? defaultSlots.workflow,
  };
}

function inFolder(folder: string, path: string | undefined): string | undefined {
  return path === undefined ? undefined : resolve(folder, path);
}

function commandSettings(read: ReadSetting, cwd: string, stateDir: string): CommandSettings {
  return {
    sandbox: read('BATON_SANDBOX', sandbox),
    scratchDir: resolve(cwd, read('BATON_SCRATCH_DIR', folder) ?? join(stateDir, 'scratch')),
    env: read('BATON_COMMAND_ENV', list),
    readOnly: read('BATON_COMMAND_PATHS', list),
    limits: { memoryBytes: read('BATON_COMMAND_MEMORY', size), maxSeconds: read('BATON_COMMAND_SECONDS', seconds) },
  };
}

/** Returns a function that reads one variable; undefined if it is unset. */
function settingReader(env: Environment): ReadSetting {
  return (setting, { allowed, schema }) => {
    const value = readVariable(env, setting);
    if (value === undefined) return undefined;
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    // Everything before an @ in a URL may be a password.
    const shown = value.replace(/\/\/.*@/, '//…@');
    throw new InvalidSettingError(setting, `"${shown}" is not allowed`, `Set ${setting} to ${allowed}, or unset it.`);
  };
}
