const { requireSame, sources, table } = require('./source.js');

const variables = [
  [
    'BATON_STATE_DIR',
    '`.baton/state` in the current folder',
    'what belongs to the project: the data of the dev server, the store',
  ],
  [
    'BATON_STORE_DIR',
    '`store` in the state folder',
    'prompts, transcripts, tool outputs; workers and clients need the same one',
  ],
  [
    'BATON_CACHE_DIR',
    '`baton` in `$XDG_CACHE_HOME` or `~/.cache`',
    'what can be made again: the program of the dev server',
  ],
  ['BATON_TASK_QUEUE', '`baton`', 'where runs are put and workers look for them'],
  ['BATON_MODEL', '`claude-sonnet-5-5`', 'the model of runs that name none'],
  ['BATON_MAX_TOKENS', '8192', 'output tokens of one reply at most'],
  ['BATON_WINDOW', 'that of the model', "tokens of context, for models that Baton doesn't know"],
  ['BATON_PRICES', 'those that Baton knows', 'JSON file with prices by model, in US dollars per million tokens'],
  [
    'BATON_LOG_LEVEL',
    'WARN',
    'how much a worker says: DEBUG, INFO (also every composed prompt, with its delegation id), WARN or ERROR',
  ],
  ['BATON_STICKY_TIMEOUT_MS', '10000', 'how long a run waits for the worker it was on, before another one takes it'],
  ['BATON_METRICS_ADDRESS', 'no metrics', 'where a worker serves metrics for Prometheus: an IP address and a port'],
  ['BATON_TRACES_URL', 'no traces', 'where a worker sends traces, by OTLP over HTTP'],
  ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'none', 'the same, for all programs; `BATON_TRACES_URL` is stronger'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'none', 'the same, without the `/v1/traces` at its end'],
  ['BATON_TEMPORAL_CLI', 'looked for', 'the Temporal CLI that runs the dev server'],
  ['ANTHROPIC_API_KEY', 'none', 'key of the provider; only the worker needs it. Never stored, never printed'],
  ['ANTHROPIC_BASE_URL', 'that of the provider', 'another address that speaks the Messages API'],
  ['TEMPORAL_PROFILE', 'none', 'profile of the Temporal configuration, and with it the server'],
];

module.exports = function environment() {
  const text = sources(['client', 'worker', 'activities', 'store', 'temporal-config']).join('\n');
  const reads = text.matchAll(
    /(?:read\(|variable\(env, |env\[|\.env\(\s*)'((?:BATON|ANTHROPIC|TEMPORAL|OTEL)_[A-Z_]+)'/g,
  );
  const names = variables.map(([name]) => name);
  requireSame('environment', names, [...new Set([...reads].map(([, name]) => name))]);
  return [
    '# Environment',
    'Read once, at the start. A value that can not be is an error that names the variable; an empty one counts as unset.',
    table(
      ['variable', 'unless set', 'meaning'],
      variables.map(([name, ...rest]) => [`\`${name}\``, ...rest]),
    ),
    "The server is named by the `TEMPORAL_` variables and profiles that all of Temporal's tools read: see [temporal.md](../temporal.md).",
  ].join('\n\n');
};
