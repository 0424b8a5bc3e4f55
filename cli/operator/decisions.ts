import { Command } from 'commander';
import type { CliContext } from '../context-merging';
import { submitDecision, withDecision, type DecisionOptions } from './decision-options';

type Plain = 'abort' | 'approve' | 'deny';

/** Creates the command for a decision without arguments of its own. */
function plainDecision(context: CliContext, action: Plain, description: string): Command {
  return withDecision(new Command(action).description(description))
    .addHelpText('after', examplesOf(action))
    .action((target: string, options: DecisionOptions) => submitDecision(context, target, options, { action }));
}

/** `baton abort`: ends an agent that is waiting for an operator. */
export function abortCommand(context: CliContext): Command {
  return plainDecision(
    context,
    'abort',
    'end an agent that is waiting for an operator; its failure is reported to its parent',
  );
}

/** `baton approve`: grants a requested tool. */
export function approveCommand(context: CliContext): Command {
  return plainDecision(context, 'approve', 'grant an agent the tool that it requested');
}

/** `baton deny`: refuses a requested tool. */
export function denyCommand(context: CliContext): Command {
  return plainDecision(
    context,
    'deny',
    'refuse an agent the tool that it requested; the agent sees --note as the reason',
  );
}

/** `baton skip`: replaces the result of a failed step. */
export function skipCommand(context: CliContext): Command {
  return withDecision(new Command('skip').description('continue a run without the result of a failed step'))
    .requiredOption('--result <text>', 'text to use as the result (required)')
    .addHelpText(
      'after',
      '\nExamples:\n  $ baton skip 20261116-031522-k3f9q1 --delegation 4f7s9k2m --result "Nothing is known about the license."\n',
    )
    .action((target: string, { result, ...options }: DecisionOptions & { result: string }) =>
      submitDecision(context, target, options, { action: 'skip', placeholder: result }),
    );
}

function examplesOf(action: Plain): string {
  return `
If the root agent has no open incident, the command applies to the only agent below it that has one. If there are several,
they are listed with the command for each.

Examples:
  $ baton ${action} 20261116-031522-k3f9q1
  $ baton ${action} 20261116-031522-k3f9q1 --delegation 4f7s9k2m --note "as agreed"
`;
}
