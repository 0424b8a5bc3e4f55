import { Command } from 'commander';
import type { CliContext } from '../context';
import { carryOut, withDecision, type DecisionOptions } from '../operate/decision-options';

type Plain = 'abort' | 'approve' | 'deny';

/** Decisions that need no more than themselves. */
function plainDecision(context: CliContext, action: Plain, description: string): Command {
  return withDecision(new Command(action).description(description))
    .addHelpText('after', examplesOf(action))
    .action((target: string, options: DecisionOptions) => carryOut(context, target, options, { action }));
}

export function abortCommand(context: CliContext): Command {
  return plainDecision(context, 'abort', 'end an agent that waits for an operator: its failure goes to its parent');
}

export function approveCommand(context: CliContext): Command {
  return plainDecision(context, 'approve', 'give an agent the tool that it asks for');
}

export function denyCommand(context: CliContext): Command {
  return plainDecision(context, 'deny', 'refuse an agent the tool that it asks for; --note tells it why');
}

export function skipCommand(context: CliContext): Command {
  return withDecision(new Command('skip').description('let a run go on without a step that failed'))
    .requiredOption('--result <text>', 'what stands in place of the result')
    .addHelpText(
      'after',
      '\nExamples:\n  $ baton skip 20261116-031522-k3f9q1 --delegation 4f7s9k2m --result "Nothing is known about the licence."\n',
    )
    .action((target: string, { result, ...options }: DecisionOptions & { result: string }) =>
      carryOut(context, target, options, { action: 'skip', placeholder: result }),
    );
}

function examplesOf(action: Plain): string {
  return `
A run whose own agent waits for nothing stands for the only agent below it that does; when there are several, they are
listed with the command for each.

Examples:
  $ baton ${action} 20261116-031522-k3f9q1
  $ baton ${action} 20261116-031522-k3f9q1 --delegation 4f7s9k2m --note "as agreed"
`;
}
