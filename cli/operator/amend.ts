import { Command } from 'commander';
import type { Amendment } from '../../domain/operator';
import type { CliContext } from '../context';
import { collectNames, deadlineFrom, microUsd, positiveInteger, wholeNumber } from '../options';
import { type RetryingOptions, submitRetry, withDecision, withRetrying } from './decision-options';

interface AmendOptions extends RetryingOptions {
  readonly instructions?: string;
  readonly model?: string;
  readonly maxTokens?: number;
  readonly window?: number;
  readonly budgetTokens?: number;
  readonly budgetUsd?: number;
  readonly turns?: number;
  readonly deadline?: string;
  readonly grantTool?: readonly string[];
  readonly revokeTool?: readonly string[];
}

/** `baton amend`: changes an agent's settings and retries its failed step. */
export function amendCommand(context: CliContext): Command {
  const description = "change an agent's instructions, model, budget, deadline or tools, and retry its failed step";
  return withRetrying(withDecision(new Command('amend').description(description)))
    .option('--instructions <text>', 'message to the model, sent with the next turn')
    .option('--model <name>', 'model to use from now on')
    .option('--max-tokens <n>', 'maximum output tokens per reply', positiveInteger)
    .option('--window <tokens>', "size of the model's context window", positiveInteger)
    .option('--budget-tokens <n>', 'tokens to add to the budget of the agent and its delegations', wholeNumber)
    .option('--budget-usd <amount>', 'US dollars to add to that budget', microUsd)
    .option('--turns <n>', 'turns to add to that budget', wholeNumber)
    .option(
      '--deadline <time>',
      'new time limit of an agent that has one: 90s, 30m, 2h, or a time in ISO 8601',
      deadlineFrom,
    )
    .option('--grant-tool <name>', 'grant a tool; repeatable', collectNames)
    .option('--revoke-tool <name>', 'revoke a tool; repeatable', collectNames)
    .addHelpText('after', examples)
    .action((target: string, options: AmendOptions) => {
      const { delegation, incident, note, by, withParent, cancelled, follow, json } = options;
      const where = definedOf({ delegation, incident, note, by, withParent, cancelled, follow, json });
      return submitRetry(context, target, where, toAmendment(options));
    });
}

const examples = `
The agent may be waiting for an operator, or it may have failed.

Examples:
  $ baton amend 20261116-031522-k3f9q1 --budget-usd 2.50
  $ baton amend 20261116-031522-k3f9q1 --delegation 4f7s9k2m --instructions "Leave the vendored files alone."
  $ baton amend 20261116-031522-k3f9q1 --model claude-opus-5-5 --turns 20
  $ baton amend 20261116-031522-k3f9q1 --deadline 1h --follow
`;

/** Includes only options that were passed. The agent refuses an empty amendment, because it would change nothing. */
export function toAmendment(options: Partial<AmendOptions>): Amendment {
  const { instructions, maxTokens, window, turns, deadline, grantTool: grant, revokeTool: revoke } = options;
  const parts = {
    instructions,
    model: definedOf({ name: options.model, maxTokens, window }),
    budget: definedOf({ tokens: options.budgetTokens, microUsd: options.budgetUsd, turns }),
    deadline,
    tools: definedOf({ grant, revoke }),
  };
  const used = Object.entries(definedOf(parts)).filter(
    ([, part]) => typeof part === 'string' || Object.keys(part).length > 0,
  );
  return Object.fromEntries(used);
}

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

function definedOf<T extends object>(values: T): Defined<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>;
}
