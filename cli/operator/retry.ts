import { Command } from 'commander';
import { formatIncident } from '../../client/operator/decide';
import { findRetryable, retryAll } from '../../client/operator/decide-for-run';
import { displayId } from '../../domain/kernel';
import { type CliContext, CliError, exitCodes, withConnection } from '../context';
import {
  type DecisionOptions,
  noteFrom,
  type RetryingOptions,
  submitRetry,
  withDecision,
  withRetrying,
} from './decision-options';

interface RetryOptions extends RetryingOptions {
  readonly query?: string;
  readonly yes?: boolean;
}

/** `baton retry`: retries one failed step, or all that a query finds. */
export function retryCommand(context: CliContext): Command {
  const description = 'retry the failed step of a run or a delegation that has failed or is waiting for an operator';
  return withRetrying(withDecision(new Command('retry').description(description), '[run]'))
    .option(
      '--query <query>',
      'retry all agents that match this visibility query, instead of one run; without --yes, only list them',
    )
    .option('--yes', 'with --query: retry the listed steps')
    .addHelpText('after', examples)
    .action((target: string | undefined, { query, yes = false, ...options }: RetryOptions) => {
      if ((target === undefined) === (query === undefined)) {
        throw new CliError(exitCodes.misused, 'Pass either a run or --query.', 'See: baton retry --help');
      }
      return query === undefined
        ? submitRetry(context, target ?? '', options)
        : retryMatching(context, query, yes, options);
    });
}

const examples = `
A run that has failed continues at the failed step. Answers that were paid for are used again, and delegations that have
ended keep their results. With --query alone, the steps that would be retried are printed. Add --yes to retry them.

Examples:
  $ baton retry 20261116-031522-k3f9q1
  $ baton retry 20261116-031522-k3f9q1 --follow
  $ baton retry 20261116-031522-k3f9q1 --delegation 4f7s9k2m --with-parent
  $ baton retry --query 'BatonStatus="needs_operator" AND ExecutionStatus="Running"'
  $ baton retry --query 'BatonStatus="needs_operator" AND ExecutionStatus="Running"' --yes --note "the key was renewed"
`;

function retryMatching(context: CliContext, query: string, yes: boolean, options: DecisionOptions): Promise<void> {
  const { terminal } = context;
  return withConnection(context, async ({ client }) => {
    const { incidents, left } = await findRetryable(client, query);
    for (const { workflowId, reason } of left) terminal.note(`not retried: ${displayId(workflowId)}: ${reason}`);
    if (incidents.length === 0) {
      terminal.note('Nothing to retry.');
      return;
    }
    if (!yes) {
      for (const { workflowId, incident } of incidents)
        terminal.print(`would retry ${displayId(workflowId)} ${formatIncident(incident)}`);
      terminal.note(`Dry run, nothing was retried. Add --yes to retry these ${incidents.length}.`);
      return;
    }
    const retried = await retryAll(client, incidents, noteFrom(options));
    for (const { workflowId, incident, error } of retried)
      terminal.print(
        `${error === null ? 'retried' : 'failed'} ${displayId(workflowId)} ${incident.id}${error === null ? '' : `: ${error}`}`,
      );
    const failed = retried.filter(({ error }) => error !== null).length;
    if (failed > 0) throw new CliError(exitCodes.failed, `${failed} of ${retried.length} could not be retried.`);
  });
}
