import { Command } from 'commander';
import type { Amendment } from '../../domain/operator/decision';
import type { CliContext } from '../context';
import { carryOut, withDecision, type DecisionOptions } from '../operate/decision-options';
import { positiveInteger, wholeNumber } from '../options';
import { microUsd, severalNames } from '../operate/amendment-options';

interface AmendOptions extends DecisionOptions {
  readonly instructions?: string;
  readonly model?: string;
  readonly maxTokens?: number;
  readonly window?: number;
  readonly budgetTokens?: number;
  readonly budgetUsd?: number;
  readonly turns?: number;
  readonly grantTool?: readonly string[];
  readonly revokeTool?: readonly string[];
}

export function amendCommand(context: CliContext): Command {
  return withDecision(new Command('amend').description('change what an agent was given, and try its failed step again'))
    .option('--instructions <text>', 'told to the model with the next turn')
    .option('--model <name>', 'another model')
    .option('--max-tokens <n>', 'tokens of one reply', positiveInteger)
    .option('--window <tokens>', "the model's window", positiveInteger)
    .option('--budget-tokens <n>', 'more tokens that it and its delegations may spend', wholeNumber)
    .option('--budget-usd <amount>', 'more US dollars that they may spend', microUsd)
    .option('--turns <n>', 'more turns', wholeNumber)
    .option('--grant-tool <name>', 'a tool that it gets; may be repeated', severalNames)
    .option('--revoke-tool <name>', 'a tool that it loses; may be repeated', severalNames)
    .addHelpText('after', examples)
    .action((target: string, options: AmendOptions) => {
      const { delegation, incident, note, by } = options;
      const where = definedOf({ delegation, incident, note, by });
      return carryOut(context, target, where, { action: 'amend', amendment: toAmendment(options) });
    });
}

const examples = `
Examples:
  $ baton amend 20261116-031522-k3f9q1 --budget-usd 2.50
  $ baton amend 20261116-031522-k3f9q1 --delegation 4f7s9k2m --instructions "Leave the vendored files alone."
  $ baton amend 20261116-031522-k3f9q1 --model claude-opus-5-5 --turns 20
`;

/** Only what was asked for: an empty one is refused, as it would change nothing. */
export function toAmendment(options: Partial<AmendOptions>): Amendment {
  const { instructions, maxTokens, window, turns, grantTool: grant, revokeTool: revoke } = options;
  const parts = {
    instructions,
    model: definedOf({ name: options.model, maxTokens, window }),
    budget: definedOf({ tokens: options.budgetTokens, microUsd: options.budgetUsd, turns }),
    tools: definedOf({ grant, revoke }),
  };
  const kept = Object.entries(definedOf(parts)).filter(
    ([, part]) => typeof part === 'string' || Object.keys(part).length > 0,
  );
  return Object.fromEntries(kept);
}

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

function definedOf<T extends object>(values: T): Defined<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>;
}
