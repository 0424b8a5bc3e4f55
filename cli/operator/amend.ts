import { Command } from 'commander';
import type { Amendment } from '../../domain/operator';
import { type ModelCatalog, configuredPrice, type Price } from '../../domain/model';
import type { CliContext } from '../context';
import { type ModelFactsOptions, modelFactsOptions, modelNames, modelsFrom } from '../model/model-options';
import { collectNames, deadlineFrom, microUsd, positiveInteger, wholeNumber } from '../options';
import { type RetryingOptions, submitRetry, withDecision, withRetrying } from './decision-options';

interface AmendOptions extends RetryingOptions, ModelFactsOptions {
  readonly instructions?: string;
  readonly model?: string;
  readonly fallback?: readonly string[];
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
  return modelFactsOptions(withRetrying(withDecision(new Command('amend').description(description))))
    .option('--instructions <text>', 'message to the model, sent with the next turn')
    .option('--model <name>', 'model to use from now on')
    .option('--fallback <names>', "models that take over, in order, when the model can't be used", modelNames)
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
    .action(async (target: string, options: AmendOptions) => {
      const { delegation, incident, note, by, withParent, cancelled, follow, json } = options;
      const where = definedOf({ delegation, incident, note, by, withParent, cancelled, follow, json });
      const models = options.model === undefined ? undefined : await modelsFrom(options, context.settings());
      return submitRetry(context, target, where, toAmendment(options, models));
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

/** Context window and price of a model that a models file describes. The run may have been started without that file. */
function factsOf(name: string | undefined, models: ModelCatalog = {}): { window?: number; price?: Price } {
  const facts = name !== undefined && Object.hasOwn(models, name) ? models[name] : undefined;
  if (facts === undefined) return {};
  const { window, price } = facts;
  return price === undefined ? { window } : { window, price: configuredPrice(price) };
}

/**
 * Includes only options that were passed, and what a models file knows of the model. The agent refuses an empty amendment,
 * because it would change nothing.
 */
export function toAmendment(options: Partial<AmendOptions>, models?: ModelCatalog): Amendment {
  const { instructions, maxTokens, turns, deadline, grantTool: grant, revokeTool: revoke } = options;
  const { model: name, fallback } = options;
  const facts = factsOf(name, models);
  const { window = facts.window, price = facts.price } = options;
  const parts = {
    instructions,
    model: definedOf({ name, maxTokens, window, price, fallback: fallback && [...fallback] }),
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
