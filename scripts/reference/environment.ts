import { requireSame, sources, table } from './source';

const variables: readonly (readonly [name: string, unlessSet: string, meaning: string])[] = [
  [
    'BATON_STATE_DIR',
    '`.baton/state` in the current folder',
    'state of the project: the data of the dev server, and the store',
  ],
  [
    'BATON_STORE',
    'the folder `BATON_STORE_DIR`',
    'where prompts, transcripts and tool outputs are: `file:<folder>`, `postgres://…` or `s3://…` (docs/store.md); workers and clients need the same store',
  ],
  ['BATON_STORE_DIR', '`store` in the state folder', 'folder of the store, unless `BATON_STORE` is set'],
  [
    'BATON_CACHE_DIR',
    '`baton` in `$XDG_CACHE_HOME` or `~/.cache`',
    'files that can be recreated: the program of the dev server',
  ],
  ['BATON_TASK_QUEUE', '`baton`', 'task queue of runs and workers'],
  [
    'BATON_MODEL',
    '`claude-sonnet-5-5`',
    'model of runs that do not name one: set it for the command line and, for runs that other clients start, for the worker',
  ],
  ['BATON_MAX_TOKENS', '8192', 'maximum output tokens of one reply'],
  ['BATON_WINDOW', "the model's", "tokens of the context window, for models that Baton doesn't know"],
  [
    'BATON_APPROVE',
    'none',
    'YAML or JSON file with rules about calls that an operator has to approve (docs/approvals.md)',
  ],
  [
    'BATON_MODELS',
    'none',
    'YAML or JSON file with context windows and prices of [models](../models.md#prices-and-windows) that Baton does not know',
  ],
  [
    'BATON_OPENAI_BASE_URL',
    "OpenAI's",
    'base URL of a server that speaks Chat Completions, for [models](../models.md#providers) with the prefix `openai`',
  ],
  ['BATON_PRICES', 'built-in prices', 'JSON file with prices by model, in US dollars per million tokens'],
  [
    'BATON_LOG_LEVEL',
    'WARN',
    'log level of a worker: DEBUG, INFO (includes every composed prompt, with its delegation id), WARN or ERROR. With DEBUG, commands report a defect of Baton with its stack',
  ],
  [
    'BATON_REDACT',
    'none',
    'regular expression (RE2); what matches is removed from failures and logs, in addition to [what looks like a secret](../provider-trouble.md#secrets)',
  ],
  [
    'BATON_ENCRYPTION_KEYS',
    'no encryption',
    'keys that payloads and the store are [encrypted](../encryption.md) with, as `<id>:file:<path>` or `<id>:base64:<key>`, separated by commas; the first one encrypts, all decrypt. The same for workers and clients',
  ],
  [
    'BATON_CODEC_TOKEN',
    'none',
    'secret that requests to `baton codec-server` must have; required if it can be reached from other machines',
  ],
  [
    'BATON_MCP_CONFIG',
    '`.mcp.json` in the folder of the worker',
    'JSON file with the [MCP servers](../mcp.md) of a worker',
  ],
  ['BATON_STICKY_TIMEOUT_MS', '10000', 'how long a run waits for its previous worker before another worker takes it'],
  [
    'BATON_CACHED_WORKFLOWS',
    'about 600 per GiB of heap limit',
    'how many open workflows a worker [keeps in memory](../temporal.md#memory); 0 for none',
  ],
  ['BATON_WORKSPACE_MAX_ENTRIES', '20000', 'maximum files, links and folders of a workspace that a worker mounts'],
  [
    'BATON_WORKSPACE_MAX_BYTES',
    '256MiB',
    'maximum bytes of all files of a workspace, optionally followed by KiB, MiB or GiB',
  ],
  ['BATON_WORKSPACE_MAX_FILE_BYTES', '10MiB', 'maximum bytes of one file; a larger one is listed but not imported'],
  [
    'BATON_WORKSPACE_INCLUDE',
    'nothing',
    'names or paths that a worker mounts although they [may hold credentials](excluded-files.md), separated by commas',
  ],
  [
    'BATON_SANDBOX',
    '`auto`',
    'where a worker runs [commands](../commands.md) of agents: `auto` and `bwrap` (bubblewrap), `docker:<image>`, `podman:<image>`, `unsafe` (no sandbox) or `off`',
  ],
  ['BATON_SCRATCH_DIR', '`scratch` in the state folder', 'copies of workspaces in which commands run'],
  [
    'BATON_COMMAND_ENV',
    'none',
    'variables of the worker that runs and skills may pass to commands, separated by commas',
  ],
  ['BATON_COMMAND_PATHS', 'none', 'folders that commands may read besides `/usr` and Node.js, separated by commas'],
  ['BATON_COMMAND_MEMORY', '2GiB', 'maximum memory of one command, optionally followed by KiB, MiB or GiB'],
  ['BATON_COMMAND_SECONDS', '600', 'maximum seconds of one command; at most 3600'],
  ['BATON_MODEL_SLOTS', '100', 'model calls that a worker makes at the same time'],
  ['BATON_TOOL_SLOTS', '100', 'tools that a worker runs at the same time'],
  [
    'BATON_CONTROL_SLOTS',
    '100',
    'other activities that a worker runs at the same time: opening runs, composing prompts, sharing sessions, importing folders',
  ],
  [
    'BATON_MODEL_LIMITS',
    'none',
    'limits of providers by model, as JSON or as a file: [requests and tokens per minute, concurrent requests](../rate-limits.md)',
  ],
  [
    'BATON_WORKER_ROLES',
    'all',
    'what a worker does, separated by commas: [`agents`, `models`, `tools`, `control`](../temporal.md#roles-of-workers)',
  ],
  ['BATON_WORKFLOW_POLLERS', "the SDK's", 'requests for workflow tasks that a worker keeps open; at least 2'],
  ['BATON_ACTIVITY_POLLERS', "the SDK's", 'requests for activities that a worker keeps open, for each task queue'],
  ['BATON_WORKFLOW_THREADS', '1', 'threads that run workflow code'],
  ['BATON_WORKFLOW_SLOTS', '40', 'workflow tasks that a worker runs at the same time; at least 2'],
  [
    'BATON_DEPLOYMENT',
    'no versioning',
    'Worker Deployment that the worker belongs to ([versioning](../versioning.md))',
  ],
  ['BATON_BUILD_ID', 'a short hash of the workflow code', 'version of the worker within its deployment'],
  ['BATON_HEALTH_ADDRESS', 'none', 'IP address and port at which a worker serves `/healthz` and `/readyz`'],
  ['BATON_SHUTDOWN_GRACE', '20', 'seconds that work in progress may take to end when a worker is stopped'],
  ['BATON_METRICS_ADDRESS', 'no metrics', 'IP address and port at which a worker serves metrics for Prometheus'],
  ['BATON_TRACES_URL', 'no traces', 'URL to which a worker sends traces, over OTLP/HTTP'],
  ['BATON_TRACE_CONTENTS', 'false', 'true: traces contain what users, models and tools wrote, without secrets and cut'],
  [
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    'none',
    'like `BATON_TRACES_URL`, which takes precedence; the standard variable for all programs',
  ],
  [
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'none',
    'like `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`, but without `/v1/traces` at its end',
  ],
  ['BATON_TEMPORAL_CLI', 'searched for', 'the Temporal CLI that runs the dev server'],
  ['ANTHROPIC_API_KEY', 'none', 'API key of the provider; only the worker needs it. Never stored, never printed'],
  ['ANTHROPIC_BASE_URL', "the provider's", 'another URL that serves the Messages API'],
  ['TEMPORAL_PROFILE', 'none', 'profile of the Temporal configuration, which names the server'],
];

export function environmentPage(): string {
  const text = sources(['cli', 'client', 'definitions', 'worker', 'activities', 'store', 'temporal-config']).join('\n');
  const reads = text.matchAll(
    /(?:read\(|readVariable\(env, |env\[|\.env\(\s*)'((?:BATON|ANTHROPIC|TEMPORAL|OTEL)_[A-Z_]+)'/g,
  );
  const names = variables.map(([name]) => name);
  requireSame('environment', names, [...new Set([...reads].map(([, name = '']) => name))]);
  return [
    '# Environment',
    'Variables are read once, at the start. An invalid value is an error that names the variable. An empty value counts as unset.',
    table(
      ['variable', 'default', 'meaning'],
      variables.map(([name, ...rest]) => [`\`${name}\``, ...rest]),
    ),
    "The `TEMPORAL_` variables and profiles that all of Temporal's tools read name the server: see [connecting to Temporal](../temporal.md).",
  ].join('\n\n');
}
