import { readFile } from 'node:fs/promises';
import { Option, type Command } from 'commander';
import { z } from 'zod';
import { defaultHandoff, defaultLimits, type AgentSettings } from '../domain/agent/settings';
import { requirePrice } from '../domain/budget/known-prices';
import { priceSchema } from '../domain/budget/prices';
import { InvalidInputError } from '../domain/errors';
import { chooseModel } from '../domain/model/known-models';
import { parseRunInput, type RunInput } from '../domain/run/input';
import type { CliContext } from './context';
import { newRunId } from './new-run-id';
import {
  deadlineFrom,
  durationMs,
  positiveInteger,
  positiveNumber,
  shareOfWindow,
  wholeNumber,
  zeroToOne,
} from './options';
import { workspaceRoot } from './workspace-root';

/** What every command that starts a run can be told about it. */
export interface RunOptions {
  readonly workspace?: string;
  readonly id?: string;
  readonly follow?: boolean;
  readonly json?: boolean;
  readonly model?: string;
  readonly maxTurns: number;
  readonly maxDepth: number;
  readonly maxChildren: number;
  readonly maxParallel: number;
  readonly maxTokens?: number;
  readonly window?: number;
  readonly temperature?: number;
  readonly budgetTokens?: number;
  readonly budgetUsd?: number;
  readonly budgetTurns?: number;
  readonly prices?: string;
  readonly deadline?: string;
  readonly handoffAt: number;
  readonly maxHandoffs: number;
  readonly hold?: boolean;
  readonly holdTimeout?: number;
  readonly grantTool: string[];
  readonly denyTool: string[];
}

const { maxTurns, maxDepth, maxChildren, maxParallel } = defaultLimits;
const listed = (name: string, names: string[]): string[] => [...names, name];

export function runOptions(command: Command): Command {
  const withFolder = command.option('-w, --workspace <dir>', 'folder whose copy the agent works on (default: none)');
  return addOperatorOptions(addBudgetOptions(addModelOptions(withFolder)))
    .option('--id <id>', 'name of the run (default: made from the time); a run that exists already is attached to')
    .option('-f, --follow', 'show progress until the run ends, then print its answer')
    .option('--json', 'print JSON');
}

/** Everything that can be wrong with the command line is found here, before anything is started. */
export async function runInputFrom(context: CliContext, goal: string, options: RunOptions): Promise<RunInput> {
  const root = options.workspace === undefined ? undefined : await workspaceRoot(options.workspace);
  return parseRunInput({
    runId: options.id ?? newRunId(),
    goal,
    ...(await agentSettings(context, options)),
    ...(root === undefined ? {} : { workspace: { root } }),
  });
}

function addModelOptions(command: Command): Command {
  return command
    .option('-m, --model <name>', 'model to ask (default: $BATON_MODEL, or claude-sonnet-5-5)')
    .option('--max-turns <n>', 'give up after this many model calls', positiveInteger, maxTurns)
    .option('--max-depth <n>', 'levels of delegation below the agent; 0 forbids delegating', wholeNumber, maxDepth)
    .option('--max-children <n>', 'delegations that one agent may make', wholeNumber, maxChildren)
    .option('--max-parallel <n>', 'delegations of one agent that run at the same time', positiveInteger, maxParallel)
    .option('--max-tokens <n>', 'output tokens of one reply at most', positiveInteger)
    .option('--window <n>', "tokens of the model's context window, for models that Baton doesn't know", positiveInteger)
    .option('--temperature <t>', 'sampling temperature, 0 to 1', zeroToOne)
    .option(
      '--handoff-at <share>',
      'share of the window at which an agent hands over',
      shareOfWindow,
      defaultHandoff.at,
    )
    .option('--max-handoffs <n>', 'how often one agent may hand over', wholeNumber, defaultHandoff.max);
}

function addBudgetOptions(command: Command): Command {
  return command
    .option('--budget-tokens <n>', 'tokens that the whole tree may spend', positiveInteger)
    .option('--budget-usd <amount>', 'US dollars that the whole tree may spend', positiveNumber)
    .option('--budget-turns <n>', 'model calls that the whole tree may make', positiveInteger)
    .addOption(
      new Option('--prices <file>', 'JSON file with prices by model, in US dollars per million tokens').env(
        'BATON_PRICES',
      ),
    )
    .option('--deadline <time>', 'when all of it must be done: 90s, 30m, 2h, or a time in ISO 8601', deadlineFrom);
}

function addOperatorOptions(command: Command): Command {
  return command
    .option('--hold', 'agents that fail wait for an operator (default: on a terminal)')
    .option('--no-hold', 'failures are reported to the delegating agent (default: elsewhere)')
    .option('--hold-timeout <duration>', 'how long they wait, as in 30m or 24h (default: 24h)', durationMs)
    .option('--grant-tool <name>', 'grant requests for this tool; may be given more than once', listed, [])
    .option('--deny-tool <name>', 'deny requests for this tool; may be given more than once', listed, []);
}

async function agentSettings(
  { terminal, settings }: CliContext,
  options: RunOptions,
): Promise<Omit<AgentSettings, 'runId'>> {
  const from = settings();
  const model = chooseModel({
    name: options.model ?? from.model,
    maxTokens: options.maxTokens ?? from.maxTokens,
    window: options.window ?? from.window,
    temperature: options.temperature,
  });
  const prices = options.prices === undefined ? undefined : await readPrices(options.prices);
  const budget = budgetOf(options);
  requirePrice(model.name, budget, prices);
  return {
    model,
    limits: {
      maxTurns: options.maxTurns,
      maxDepth: options.maxDepth,
      maxChildren: options.maxChildren,
      maxParallel: options.maxParallel,
    },
    handoff: { at: options.handoffAt, max: options.maxHandoffs },
    onFailure: (options.hold ?? terminal.isInteractive) ? 'hold' : 'report',
    ...(options.holdTimeout === undefined ? {} : { holdMs: options.holdTimeout }),
    ...(Object.keys(budget).length === 0 ? {} : { budget }),
    ...(prices === undefined ? {} : { prices }),
    ...(options.deadline === undefined ? {} : { deadline: options.deadline }),
    ...(options.grantTool.length + options.denyTool.length === 0
      ? {}
      : { toolRequests: { grant: options.grantTool, deny: options.denyTool } }),
  };
}

function budgetOf({ budgetTokens, budgetUsd, budgetTurns }: RunOptions): NonNullable<AgentSettings['budget']> {
  return {
    ...(budgetTokens === undefined ? {} : { tokens: budgetTokens }),
    ...(budgetUsd === undefined ? {} : { microUsd: Math.round(budgetUsd * 1_000_000) }),
    ...(budgetTurns === undefined ? {} : { turns: budgetTurns }),
  };
}

async function readPrices(path: string): Promise<NonNullable<AgentSettings['prices']>> {
  const remedy =
    'Give a JSON file such as {"my-model": {"input": 3, "cacheRead": 0.3, "cacheWrite": 3.75, "output": 15}}.';
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new InvalidInputError('--prices', `"${path}" can't be read (${(error as Error).message})`, remedy);
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new InvalidInputError('--prices', `"${path}" is not JSON`, remedy);
  }
  const parsed = z.record(z.string(), priceSchema).safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const problem = `"${path}" is wrong at ${issue?.path.join('.') || 'its top'}: ${issue?.message ?? ''}`;
  throw new InvalidInputError('--prices', problem, remedy);
}
