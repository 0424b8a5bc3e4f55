import type { Command } from 'commander';
import { defaultLimits } from '../domain/agent/settings';
import type { Allowance } from '../domain/budget/allowance';
import { chooseModel } from '../domain/model/known-models';
import { parseRunInput, type RunInput } from '../domain/run/input';
import type { Settings } from '../temporal-config/node/settings';
import { newRunId } from './new-run-id';
import { dollars, fromNow, positiveInteger, wholeNumber, zeroToOne } from './options';
import { workspaceRoot } from './workspace-root';

/** What every command that starts a run can be told about it. */
export interface RunOptions {
  readonly workspace?: string;
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
  readonly deadline?: string;
  readonly hold?: boolean;
  readonly id?: string;
  readonly follow?: boolean;
  readonly json?: boolean;
}

export function runOptions(command: Command): Command {
  return boundOptions(
    command
      .option('-w, --workspace <dir>', 'folder whose copy the agent works on (default: none)')
      .option('-m, --model <name>', 'model to ask (default: $BATON_MODEL, or claude-sonnet-5-5)'),
  )
    .option('--max-tokens <n>', 'output tokens of one reply at most', positiveInteger)
    .option('--window <n>', "tokens of the model's context window, for models that Baton doesn't know", positiveInteger)
    .option('--temperature <t>', 'sampling temperature, 0 to 1', zeroToOne)
    .option('--budget-tokens <n>', 'tokens that the run and all its delegations may spend', positiveInteger)
    .option('--budget-usd <amount>', 'the same in US dollars', dollars)
    .option('--budget-turns <n>', 'the same in model calls', positiveInteger)
    .option('--deadline <time>', 'when it must be done: from now, such as 90s, 30m or 2h, or in ISO 8601', fromNow)
    .option('--hold', 'wait for an operator when automatic retries are used up, instead of failing')
    .option('--id <id>', 'name of the run (default: made from the time); a run that exists already is attached to')
    .option('-f, --follow', 'show progress until the run ends, then print its answer')
    .option('--json', 'print JSON');
}

function boundOptions(command: Command): Command {
  return command
    .option('--max-turns <n>', 'give up after this many model calls', positiveInteger, defaultLimits.maxTurns)
    .option(
      '--max-depth <n>',
      'levels of delegation below the agent; 0 forbids delegating',
      wholeNumber,
      defaultLimits.maxDepth,
    )
    .option('--max-children <n>', 'delegations that one agent may make', wholeNumber, defaultLimits.maxChildren)
    .option(
      '--max-parallel <n>',
      'delegations of one agent that run at the same time',
      positiveInteger,
      defaultLimits.maxParallel,
    );
}

/** Everything that can be wrong with the command line is found here, before anything is started. */
export async function runInputFrom(goal: string, options: RunOptions, settings: Settings): Promise<RunInput> {
  const root = options.workspace === undefined ? undefined : await workspaceRoot(options.workspace);
  const budget = budgetFrom(options);
  return parseRunInput({
    runId: options.id ?? newRunId(),
    goal,
    model: chooseModel({
      name: options.model ?? settings.model,
      maxTokens: options.maxTokens ?? settings.maxTokens,
      window: options.window ?? settings.window,
      temperature: options.temperature,
    }),
    ...(root === undefined ? {} : { workspace: { root } }),
    limits: {
      maxTurns: options.maxTurns,
      maxDepth: options.maxDepth,
      maxChildren: options.maxChildren,
      maxParallel: options.maxParallel,
    },
    ...(Object.keys(budget).length === 0 ? {} : { budget }),
    ...(options.deadline === undefined ? {} : { deadline: options.deadline }),
    ...(options.hold === true ? { onFailure: 'hold' } : {}),
  });
}

function budgetFrom({ budgetTokens, budgetUsd, budgetTurns }: RunOptions): Allowance {
  return {
    ...(budgetTokens === undefined ? {} : { tokens: budgetTokens }),
    ...(budgetUsd === undefined ? {} : { microUsd: Math.round(budgetUsd * 1_000_000) }),
    ...(budgetTurns === undefined ? {} : { turns: budgetTurns }),
  };
}
