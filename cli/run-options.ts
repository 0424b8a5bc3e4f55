import type { Command } from 'commander';
import { newRunId } from '../client/baton';
import { readControlsFile } from '../definitions/delegation/read-controls';
import {
  type AgentSettings,
  defaultHandoff,
  defaultLimits,
  type DelegationControls,
  type RunInput,
} from '../domain/agent';
import { requirePrice } from '../domain/budget';
import { requireFallback } from '../domain/handoff';
import { InvalidInputError } from '../domain/kernel';
import type { McpGrants } from '../domain/mcp';
import { resolveModel } from '../domain/model';
import { formatDiagnostic } from '../domain/skill';
import type { Settings } from '../temporal-config/node/settings';
import { addCommandOptions, type CommandOptions, commandsFrom } from './command-options';
import type { CliContext } from './context';
import { type ModelFactsOptions, modelFactsOptions, modelNames, modelsFrom, pricesFrom } from './model/model-options';
import { addNoticeOptions, type NoticeOptions, noticesFrom } from './notice-options';
import {
  collectGrants,
  collectNames,
  collectPromptDefaults,
  deadlineFrom,
  durationMs,
  fraction,
  positiveInteger,
  positiveMicroUsd,
  wholeNumber,
  windowFraction,
} from './options';
import { addApprovalOptions, type ApprovalOptions, approvalSettings } from './operator/approval-options';
import { addAnnouncementOptions, type AnnouncementOptions, announcementSettings } from './operator/notify-options';
import { workspaceRoot } from './workspace/workspace-root';

/** Options of every command that starts a run. */
export interface RunOptions
  extends ModelFactsOptions, NoticeOptions, ApprovalOptions, CommandOptions, AnnouncementOptions {
  readonly workspace?: string;
  readonly id?: string;
  readonly follow?: boolean;
  readonly json?: boolean;
  readonly model?: string;
  readonly fallback?: readonly string[];
  readonly maxTurns: number;
  readonly maxDepth: number;
  readonly maxChildren: number;
  readonly maxParallel: number;
  readonly maxPromptBytes: number;
  readonly maxToolTokens?: number;
  readonly maxTokens?: number;
  readonly window?: number;
  readonly temperature?: number;
  readonly budgetTokens?: number;
  /** In millionths of a dollar. */
  readonly budgetUsd?: number;
  readonly budgetTurns?: number;
  readonly prices?: string;
  readonly deadline?: string;
  readonly handoffAt: number;
  readonly maxHandoffs: number;
  readonly hold?: boolean;
  readonly holdTimeout?: number;
  readonly grantTool?: readonly string[];
  readonly denyTool?: readonly string[];
  readonly delegation?: string;
  readonly mcp?: McpGrants;
  readonly promptDefault?: NonNullable<RunInput['promptDefaults']>;
  readonly tenant?: string;
}

const { maxTurns, maxDepth, maxChildren, maxParallel, maxPromptBytes } = defaultLimits;

/** Adds the options of commands that start a run. */
export function runOptions(command: Command): Command {
  const withFolder = command.option(
    '-w, --workspace <dir>',
    'folder that the agent works on a copy of; workers read it at the same path (default: none)',
  );
  const inSteps = addNoticeOptions(addBudgetOptions(addModelOptions(withFolder)));
  return addAnnouncementOptions(addApprovalOptions(addCommandOptions(addOperatorOptions(inSteps))))
    .option('--id <id>', 'run id (default: made from the time); an existing run with this id is attached to')
    .option(
      '--tenant <name>',
      'who the run works for; tenants get equal shares of the workers (default: every run does)',
    )
    .option('-f, --follow', 'show progress until the run ends, then print its answer')
    .option('--json', 'print JSON');
}

/**
 * Builds a run's settings and folder from options. Throws an `InvalidInputError` for what only this machine knows, such as
 * a folder or a price list. `startRun` and `startRelay` check the rest before anything is started.
 */
export async function runSettingsFrom(
  context: CliContext,
  options: RunOptions,
): Promise<AgentSettings & Pick<RunInput, 'workspace' | 'mcp' | 'tenant'>> {
  const root = options.workspace === undefined ? undefined : await workspaceRoot(options.workspace);
  return {
    runId: options.id ?? newRunId(),
    ...(await agentSettings(context, options)),
    ...(root === undefined ? {} : { workspace: { root } }),
    ...(options.promptDefault === undefined ? {} : { promptDefaults: options.promptDefault }),
    ...(options.mcp === undefined ? {} : { mcp: options.mcp }),
    ...(options.tenant === undefined ? {} : { tenant: options.tenant }),
  };
}

/** The options behind the fields of a run's input. */
const optionNames: Readonly<Record<string, string>> = {
  runId: '--id',
  tenant: '--tenant',
  'limits.maxTurns': '--max-turns',
  'limits.maxDepth': '--max-depth',
  'limits.maxChildren': '--max-children',
  'limits.maxParallel': '--max-parallel',
  'limits.maxPromptBytes': '--max-prompt-bytes',
  'model.fallback': '--fallback',
  'limits.maxRepeats': '--max-repeats',
  notices: '--notices',
  'limits.maxToolTokens': '--max-tool-tokens',
  'handoff.at': '--handoff-at',
  'handoff.max': '--max-handoffs',
  holdMs: '--hold-timeout',
  notify: '--notify-url',
  'notify.url': '--notify-url',
  'notify.env': '--notify-url',
  deadline: '--deadline',
  promptDefaults: '--prompt-default',
  'commands.env[0]': '--commands-env',
  'commands.safeToRepeat[0]': '--safe-command',
};

/** Runs a check of a run's input. An error names the option, because users of the command line don't know the field. */
export function namingOptions<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof InvalidInputError) || !Object.hasOwn(optionNames, error.field)) throw error;
    throw new InvalidInputError(optionNames[error.field] ?? error.field, error.reason, error.remedy);
  }
}

function addModelOptions(command: Command): Command {
  return modelFactsOptions(command)
    .option('-m, --model <name>', 'model to call (default: $BATON_MODEL, or claude-sonnet-5-5)')
    .option('--fallback <names>', "models that take over, in order, when the model can't be used", modelNames)
    .option('--max-turns <n>', 'maximum model calls of one agent', positiveInteger, maxTurns)
    .option(
      '--max-depth <n>',
      'maximum levels of delegation below the root agent; 0 forbids delegating',
      wholeNumber,
      maxDepth,
    )
    .option('--max-children <n>', 'maximum delegations of one agent', wholeNumber, maxChildren)
    .option('--max-parallel <n>', 'maximum concurrent delegations of one agent', positiveInteger, maxParallel)
    .option('--max-prompt-bytes <n>', "maximum bytes of a delegation's prompt", positiveInteger, maxPromptBytes)
    .option(
      '--max-tool-tokens <n>',
      `estimated tokens of MCP tool descriptions beyond which an agent has to find tools (default: ${defaultLimits.maxToolTokens})`,
      wholeNumber,
    )
    .option('--max-tokens <n>', 'maximum output tokens per reply', positiveInteger)
    .option(
      '--window <n>',
      "size of the model's context window in tokens, for models unknown to Baton",
      positiveInteger,
    )
    .option('--temperature <t>', 'sampling temperature, 0 to 1', fraction)
    .option(
      '--handoff-at <share>',
      'fraction of the context window at which an agent hands off',
      windowFraction,
      defaultHandoff.at,
    )
    .option('--max-handoffs <n>', 'maximum handoffs of one agent', wholeNumber, defaultHandoff.max)
    .option(
      '--prompt-default <value>',
      'ns/key:name=value, a default for a parameter of a prompt that agents may dispatch; repeatable',
      collectPromptDefaults,
    );
}

function addBudgetOptions(command: Command): Command {
  return command
    .option('--budget-tokens <n>', 'maximum tokens spent by all agents of the run', positiveInteger)
    .option('--budget-usd <amount>', 'maximum US dollars spent by all agents of the run', positiveMicroUsd)
    .option('--budget-turns <n>', 'maximum model calls of all agents of the run', positiveInteger)
    .option(
      '--prices <file>',
      'JSON file with prices by model, in US dollars per million tokens (default: $BATON_PRICES, or built-in prices)',
    )
    .option('--deadline <time>', 'time limit of the whole run: 90s, 30m, 2h, or a time in ISO 8601', deadlineFrom);
}

function addOperatorOptions(command: Command): Command {
  return command
    .option('--hold', 'failed agents wait for an operator (default on a terminal)')
    .option('--no-hold', 'failures are reported to the parent (default elsewhere)')
    .option('--hold-timeout <duration>', 'how long they wait, such as 30m or 24h (default: 24h)', durationMs)
    .option(
      '--mcp <server>',
      'MCP server whose tools the root agent may use, or server:tool,tool for some of them; repeatable (list them with: baton mcp list)',
      collectGrants,
    )
    .option('--grant-tool <name>', 'grant requests for this tool; repeatable', collectNames)
    .option('--deny-tool <name>', 'deny requests for this tool; repeatable', collectNames)
    .option(
      '--delegation <file>',
      'YAML or JSON file with what delegations are told, what is withheld from them, and restricted tools (docs/prompts.md)',
    );
}

async function agentSettings(
  { terminal, settings }: CliContext,
  options: RunOptions,
): Promise<Omit<AgentSettings, 'runId'>> {
  const from = settings();
  const { grantTool = [], denyTool = [] } = options;
  const delegation = options.delegation === undefined ? undefined : await controlsFrom(options.delegation);
  const budget = budgetOf(options);
  const handoff = { at: options.handoffAt, max: options.maxHandoffs };
  const commands = commandsFrom(options);
  return {
    ...(await modelSettings(options, from, { budget, handoff })),
    limits: {
      maxTurns: options.maxTurns,
      maxDepth: options.maxDepth,
      maxChildren: options.maxChildren,
      maxParallel: options.maxParallel,
      maxPromptBytes: options.maxPromptBytes,
      maxRepeats: options.maxRepeats,
      ...(options.maxToolTokens === undefined ? {} : { maxToolTokens: options.maxToolTokens }),
    },
    handoff,
    ...noticesFrom(options),
    onFailure: (options.hold ?? terminal.isInteractive) ? 'hold' : 'report',
    ...(options.holdTimeout === undefined ? {} : { holdMs: options.holdTimeout }),
    ...(Object.keys(budget).length === 0 ? {} : { budget }),
    ...(options.deadline === undefined ? {} : { deadline: options.deadline }),
    ...(grantTool.length + denyTool.length === 0
      ? {}
      : { toolRequests: { grant: [...grantTool], deny: [...denyTool] } }),
    ...(delegation === undefined ? {} : { delegation }),
    ...(commands === undefined ? {} : { commands }),
    ...(await approvalSettings(options)),
    ...announcementSettings(options),
  };
}

/** Returns the model, and what is known of models. Refuses a model whose window is unknown, or whose cost can't be limited. */
async function modelSettings(
  options: RunOptions,
  from: Settings,
  limits: Pick<AgentSettings, 'budget' | 'handoff'>,
): Promise<Pick<AgentSettings, 'model' | 'models' | 'prices'>> {
  const models = await modelsFrom(options, from);
  const wanted = {
    name: options.model ?? from.model,
    maxTokens: options.maxTokens ?? from.maxTokens,
    window: options.window ?? from.window,
    temperature: options.temperature,
    fallback: options.fallback,
  };
  const model = resolveModel(wanted, models);
  const prices = await pricesFrom(options.prices ?? from.pricesFile, { model: model.name, price: options.price });
  requirePrice(model.name, limits.budget, prices, models);
  namingOptions(() => {
    requireFallback({ ...limits, model, models, prices });
  });
  return { model, ...(prices === undefined ? {} : { prices }), ...(models === undefined ? {} : { models }) };
}

function budgetOf({ budgetTokens, budgetUsd, budgetTurns }: RunOptions): NonNullable<AgentSettings['budget']> {
  return {
    ...(budgetTokens === undefined ? {} : { tokens: budgetTokens }),
    ...(budgetUsd === undefined ? {} : { microUsd: budgetUsd }),
    ...(budgetTurns === undefined ? {} : { turns: budgetTurns }),
  };
}

async function controlsFrom(path: string): Promise<DelegationControls> {
  const read = await readControlsFile(path);
  if ('controls' in read) return read.controls;
  const errors = read.errors.map(formatDiagnostic).join('; ');
  throw new InvalidInputError('--delegation', errors, 'Correct the file; its format is described in docs/prompts.md.');
}
