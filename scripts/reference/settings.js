const { join } = require('node:path');
const { requireSame, root, table } = require('./source.js');

/** Path in the input of a run, what it is unless given, and what it means. */
const settings = [
  ['runId', 'required', 'names the run: its workflow id is `run/<runId>`'],
  ['goal', 'required', 'what the run is to reach'],
  ['workspace.root', 'no files', 'folder that is imported when the run starts, as the worker sees it'],
  ['model.name', 'required', 'model to ask'],
  ['model.maxTokens', 'required', 'output tokens of one reply at most'],
  ['model.window', 'required', "tokens of the model's context window"],
  ['model.temperature', "the provider's", 'sampling temperature, 0 to 1; not for every model'],
  ['limits.maxTurns', 'required', 'model calls of one agent'],
  ['limits.maxDepth', 'required', 'levels of delegation below the root; 0 forbids delegating'],
  ['limits.maxChildren', 'required', 'delegations that one agent may make in its life'],
  ['limits.maxParallel', 'required', 'delegations of one agent that run at the same time'],
  ['handoff.at', '0.6', 'share of the window at which an agent hands over'],
  ['handoff.max', '8', 'how often one agent may hand over'],
  ['budget.tokens', 'unbounded', 'tokens of all kinds that the agent and everything below it may spend'],
  ['budget.microUsd', 'unbounded', 'the same, in millionths of a US dollar'],
  ['budget.turns', 'unbounded', 'the same, in model calls'],
  [
    'prices',
    'those that Baton knows',
    'by model: `input`, `cacheRead`, `cacheWrite`, `output`, in US dollars per million tokens',
  ],
  ['deadline', 'none', 'when all of it must be done, ISO 8601 in UTC'],
  ['onFailure', '`report`', '`hold`: wait for an operator when retries are used up'],
  ['holdMs', '24 hours', 'how long an operator is waited for'],
  ['toolRequests.grant', 'none', 'tools that `request_tool` gives without an operator'],
  ['toolRequests.deny', 'none', 'tools that it never gives'],
  ['tuning.heartbeatTimeoutMs', '10,000', 'how soon a dead worker is noticed; for tests and demonstrations'],
  ['tuning.turnsPerExecution', 'as the server suggests', 'continue as new after so many turns; the same'],
  ['tuning.requestsPerHost', 'as the server suggests', 'the same for hosts of shared sessions'],
];

/** Names of all fields, objects inside of objects with a dot between. */
function pathsOf(schema, prefix = '') {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    return field.type === 'object' && field.properties !== undefined ? pathsOf(field, `${path}.`) : [path];
  });
}

module.exports = function settingsPage() {
  const { z } = require('zod');
  const { runInputSchema } = require(join(root, 'dist', 'domain', 'run', 'input.js'));
  requireSame(
    'settings',
    settings.map(([name]) => name),
    pathsOf(z.toJSONSchema(runInputSchema, { io: 'input', unrepresentable: 'any' })),
  );
  return [
    '# Settings of a run',
    'The input of `runWorkflow`, as JSON; `relayWorkflow` takes the same and `relay`, a [definition](../relays.md). There are no defaults for what is required: what stands in history is what was meant. The command line and the [client library](../client.md) fill it in.',
    table(
      ['field', 'unless given', 'meaning'],
      settings.map(([name, ...rest]) => [`\`${name}\``, ...rest]),
    ),
  ].join('\n\n');
};
