import { z } from 'zod';
import { runInputSchema } from '../../domain/agent';
import { requireSame, table } from './source';

interface Schema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, unknown>>;
}

/** Path in the input of a run, its default, and its meaning. */
const settings: readonly (readonly [path: string, byDefault: string, meaning: string])[] = [
  ['runId', 'required', 'id of the run; its workflow id is `run/<runId>`'],
  ['goal', 'required', 'goal of the run'],
  ['workspace.root', 'no files', 'folder that is imported when the run starts; a path on the worker'],
  [
    'promptDefaults',
    'none',
    'values for parameters of prompts that agents may dispatch, such as `{"acme/reviewer": {"repo_root": "src"}}`; at most 8 KiB',
  ],
  ['model.name', 'required', 'name of the model'],
  ['model.maxTokens', 'required', 'maximum output tokens of one reply'],
  ['model.window', 'required', "tokens of the model's context window"],
  ['model.temperature', "the provider's", 'sampling temperature, 0 to 1; not supported by every model'],
  ['limits.maxTurns', 'required', 'maximum model calls of one agent'],
  ['limits.maxDepth', 'required', 'maximum levels of delegation below the root agent; 0 forbids delegating'],
  ['limits.maxChildren', 'required', 'maximum delegations of one agent in total'],
  ['limits.maxParallel', 'required', 'maximum delegations of one agent that run at the same time'],
  ['limits.maxPromptBytes', '2,097,152 (2 MiB)', "maximum bytes of a delegation's prompt; a longer one is refused"],
  ['handoff.at', '0.6', 'share of the context window at which an agent hands off'],
  ['handoff.max', '8', 'maximum handoffs of one agent'],
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

export function settingsPage(): string {
  requireSame(
    'settings',
    settings.map(([name]) => name),
    pathsOf(z.toJSONSchema(runInputSchema, { io: 'input', unrepresentable: 'any' })),
  );
  return [
    '# Run settings',
    'The input of `runWorkflow`, as JSON. `relayWorkflow` takes the same fields and `relay`, a [definition](../relays.md). Required fields have no defaults, so that history records every value explicitly. The command line and the [client library](../client.md) fill them in.',
    table(
      ['field', 'default', 'meaning'],
      settings.map(([name, ...rest]) => [`\`${name}\``, ...rest]),
    ),
  ].join('\n\n');
}
