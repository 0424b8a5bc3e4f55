import { z } from 'zod';
import { runRequestSchema } from '../../domain/agent';
import { relayRequestSchema, relaySchema } from '../../domain/relay';
import { requireSame, table } from './source';

interface Schema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, unknown>>;
}

/** Path in the input of a run, its default, and its meaning. */
const settings: readonly (readonly [path: string, byDefault: string, meaning: string])[] = [
  ['runId', 'from the workflow id', 'id of the run; its workflow id is `run/<runId>`'],
  ['goal', 'required unless there is a `prompt` or a `skill`', 'goal of the run'],
  [
    'prompt.ns',
    "Baton's own prompt",
    "namespace of a [registered prompt](../prompts.md#your-own-prompt-as-root), which is the root's whole prompt",
  ],
  ['prompt.key', "Baton's own prompt", 'key of that prompt'],
  ['prompt.parameters', 'none', 'values of its parameters, as texts; a parameter `goal` gets the goal'],
  ['skill.name', 'no skill', 'name of a [skill](../skills.md#a-skill-as-root) that the root has'],
  ['skill.input', 'none', 'input of the skill; a field `goal` gets the goal'],
  ['workspace.root', 'no files', 'folder that is imported when the run starts; a path on the worker'],
  [
    'promptDefaults',
    'none',
    'values for parameters of prompts that agents may dispatch, such as `{"acme/reviewer": {"repo_root": "src"}}`; at most 8 KiB',
  ],
  [
    'mcp',
    'none',
    '[MCP servers](../mcp.md) and tools that the root agent may use, such as `{"github": ["search_code"]}`, or `"*"` for all tools of a server',
  ],
  [
    'continues.runId',
    'begins by itself',
    '[run whose turns are taken over](../operators.md#again): the new run has its conversation, session and files',
  ],
  ['continues.turn', 'begins by itself', 'turn of that run that the model is asked for first'],
  [
    'tenant',
    'the run itself',
    'who the run works for; tenants get [equal shares](../rate-limits.md#fairness) of the workers and of a rate limit',
  ],
  ['model.name', '`BATON_MODEL` of the worker, or `claude-sonnet-5-5`', 'name of the model'],
  ['model.maxTokens', '`BATON_MAX_TOKENS` of the worker, or 8,192', 'maximum output tokens of one reply'],
  ['model.window', '`BATON_WINDOW` of the worker, or that of the known model', "tokens of the model's context window"],
  ['model.temperature', "the provider's", 'sampling temperature, 0 to 1; not supported by every model'],
  [
    'model.fallback',
    'none',
    'models that [take over](../models.md#fallback), in this order, when a model cannot be used; at most 8',
  ],
  [
    'models',
    "the worker's `BATON_MODELS`",
    '[context windows and prices](../models.md#prices-and-windows) of models, by name',
  ],
  [
    'limitedModels',
    'set by the worker',
    'patterns of models that the worker [limits](../rate-limits.md); what a client sends is ignored',
  ],
  ['limits.maxTurns', '100', 'maximum model calls of one agent'],
  ['limits.maxDepth', '3', 'maximum levels of delegation below the root agent; 0 forbids delegating'],
  ['limits.maxChildren', '1,000', 'maximum delegations of one agent in total'],
  ['limits.maxParallel', '32', 'maximum delegations of one agent that run at the same time'],
  ['limits.maxPromptBytes', '2,097,152 (2 MiB)', "maximum bytes of a delegation's prompt; a longer one is refused"],
  [
    'limits.maxRepeats',
    '4',
    'how often an agent may make the same calls with the same results in a row before it is told, and then stopped; 0 for any number',
  ],
  [
    'limits.maxToolTokens',
    '10,000',
    'maximum estimated tokens of the descriptions of MCP tools; beyond it, [`find_tool`](../mcp.md#many-tools) brings them in',
  ],
  ['handoff.at', '0.6', 'share of the context window at which an agent hands off'],
  ['handoff.max', '8', 'maximum handoffs of one agent'],
  [
    'notices',
    '`[0.25, 0.1]`',
    'shares left of the budget, the turns and the context window at which an agent is told about it; empty for none',
  ],
  ['budget.tokens', 'unbounded', 'maximum tokens, of all kinds, that the root agent and everything below it may spend'],
  ['budget.microUsd', 'unbounded', 'maximum cost, in millionths of a US dollar'],
  [
    'budget.calls',
    'unbounded',
    'maximum calls of single tools, by tool name, of the root agent and everything below it',
  ],
  ['budget.turns', 'unbounded', 'maximum model calls of the root agent and everything below it'],
  [
    'prices',
    'built-in prices',
    'prices by model: `input`, `cacheRead`, `cacheWrite`, `output`, in US dollars per million tokens',
  ],
  ['deadline', 'none', 'time by which the whole run must end, ISO 8601 in UTC'],
  [
    'onFailure',
    '`report`',
    '`report`: failures are reported to the parent; `hold`: agents wait for an operator when retries are exhausted',
  ],
  ['holdMs', '24 hours', 'how long an agent waits for an operator, in milliseconds'],
  ['toolRequests.grant', 'none', 'tools that `request_tool` grants without an operator'],
  ['toolRequests.deny', 'none', 'tools that `request_tool` never grants'],
  [
    'delegation.redactions',
    'none',
    "sections of the parent's prompt that no delegation sees: `path`, `reason`, `required`; [how](../prompts.md#controlling-delegations)",
  ],
  ['delegation.scope.include', "the parent's scope", 'what delegations may work on'],
  ['delegation.scope.exclude', "the parent's scope", 'what delegations must leave alone'],
  ['delegation.principles', 'none', 'rules for delegations, most important first'],
  ['delegation.policies.inherited', 'its outermost sections', "sections of the parent's prompt to cite as policies"],
  ['delegation.policies.relaxed', 'none', 'policies that apply less strictly: `path`, `how`, `reason`'],
  ['delegation.policies.added', 'none', 'policies that apply in addition'],
  [
    'delegation.tools',
    'none',
    'restricted and revoked tools, by name; they apply to every agent of the run, the root included',
  ],
  ['delegation.escalation.stopWhen', 'a sentence', 'when a delegation has to stop'],
  ['delegation.escalation.blockers', 'a sentence', 'what a delegation has to report as a blocker'],
  ['delegation.escalation.partialProgress', 'a sentence', 'how a delegation reports what it could not finish'],
  ['delegation.reporting.cadence', 'none', 'when a delegation reports before its final message'],
  ['delegation.reporting.attachments', 'none', 'what a delegation has to attach: `name`, `upload`'],
  ['delegation.reporting.citations', 'a sentence', 'how a delegation cites its sources'],
  [
    'approve',
    'none',
    '[calls that an operator has to approve](../approvals.md), such as `[{"tool": "run_command", "when": "^git push"}]`',
  ],
  [
    'notify',
    'none',
    'address that is told of [whatever waits for a person](../operators.md#being-told), or the name of a variable of the worker that has it',
  ],
  ['ask', 'false', 'whether the root agent has `ask_operator`, with which it [asks people](../approvals.md#questions)'],
  [
    'commands.network',
    'commands are not granted',
    'whether [commands](../commands.md) have network access. An empty `commands` grants them without it',
  ],
  ['commands.env', 'none', 'variables of the worker that commands see; the worker must allow each'],
  [
    'commands.safeToRepeat',
    'none',
    'commands that may run again after their worker died, such as `npm test` or `npx jest *`',
  ],
  ['commands.maxSeconds', 'that of the worker, 600', 'maximum seconds of one command'],
  [
    'tuning.heartbeatTimeoutMs',
    '10,000',
    'heartbeat timeout after which a worker counts as dead, in milliseconds; for tests and demonstrations',
  ],
  [
    'tuning.retryIntervalMs',
    '1,000 or less, doubling',
    'time between two attempts at a step, in milliseconds; for tests and demonstrations',
  ],
  [
    'tuning.turnsPerExecution',
    'as the server suggests',
    'turns after which an agent continues as new; for tests and demonstrations',
  ],
  [
    'tuning.turnsPerActivity',
    '8, and 1 for a root',
    'turns that one activity may take while nothing has to be decided between them',
  ],
  ['tuning.toolsInside', 'true', 'whether tools run in the activity of their turn if they may; false for tests'],
  [
    'tuning.requestsPerHost',
    'as the server suggests',
    'requests after which the host of a shared session continues as new; for tests and demonstrations',
  ],
  [
    'tuning.parentCheckMs',
    '600,000',
    'time between two looks of a delegation, or of the host of a shared session, whether its parent is open; for tests',
  ],
];

/** Names of all fields; nested fields are joined with a dot. */
function pathsOf({ properties = {} }: Schema, prefix = ''): string[] {
  return Object.entries(properties).flatMap(([name, value]) => {
    const path = `${prefix}${name}`;
    const field = value as Schema;
    return field.type === 'object' && field.properties !== undefined ? pathsOf(field, `${path}.`) : [path];
  });
}

function jsonSchema(schema: z.ZodType): Record<string, unknown> {
  return portable(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
}

/** Writes patterns without Unicode properties, which most languages don't have. */
export function portable(schema: object): Record<string, unknown> {
  const text = JSON.stringify(schema).replaceAll('\\\\p{Cc}', '\\\\u0000-\\\\u001f\\\\u007f-\\\\u009f');
  return JSON.parse(text) as Record<string, unknown>;
}

/** JSON Schema of what `runWorkflow` can be started with. */
export function runInputSchema(): string {
  const oneOf = ['goal', 'prompt', 'skill'].map((name) => ({ required: [name] }));
  return JSON.stringify({ title: 'Input of runWorkflow', ...jsonSchema(runRequestSchema), anyOf: oneOf });
}

/** JSON Schema of what `relayWorkflow` can be started with. */
export function relayInputSchema(): string {
  const schema = jsonSchema(relayRequestSchema);
  const byName = { type: 'string', description: 'name of a relay that the worker has' };
  const { $schema: _, ...definition } = jsonSchema(relaySchema);
  const properties = { ...(schema['properties'] as object), relay: { anyOf: [byName, definition] } };
  return JSON.stringify({ title: 'Input of relayWorkflow', ...schema, properties, required: ['goal', 'relay'] });
}

export function settingsPage(): string {
  requireSame(
    'settings',
    settings.map(([name]) => name),
    pathsOf(jsonSchema(runRequestSchema)),
  );
  return [
    '# Run settings',
    'The input of `runWorkflow`, as JSON. `relayWorkflow` takes the same fields, except for `prompt` and `skill`, and `relay`: a [definition](../relays.md), or the name of a relay that the worker has. Defaults are applied by the worker that opens the run, and its history records the settings in force. As JSON Schema, for clients in other languages ([how to start a run](../client.md#from-other-languages)): [run-input.schema.json](run-input.schema.json), [relay-input.schema.json](relay-input.schema.json).',
    table(
      ['field', 'default', 'meaning'],
      settings.map(([name, ...rest]) => [`\`${name}\``, ...rest]),
    ),
  ].join('\n\n');
}
