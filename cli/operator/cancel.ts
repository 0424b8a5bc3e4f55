import { Command } from 'commander';
import { runWorkflowId } from '../../domain/kernel/ids';
import { CliError, exitCodes } from '../context';
import { withConnection, type CliContext } from '../context-merging';
import { outcomeOf } from '../../client/agent/outcome';
import { describeRun } from '../../client/agent/run-view';

const waitMs = 20_000;

/** `baton cancel`: cancels a run and waits until it has closed. */
export function cancelCommand(context: CliContext): Command {
  return new Command('cancel')
    .description('stop a run: its model call is aborted, and it closes as cancelled')
    .argument('<run>', 'id of the run')
    .addHelpText('after', '\nExamples:\n  $ baton cancel 20261116-031522-k3f9q1\n')
    .action((runId: string) =>
      withConnection(context, async ({ client }) => {
        const { status } = await describeRun(client, runId);
        if (status.name !== 'RUNNING') {
          context.terminal.print(`Run ${runId} had already ended (${status.name.toLowerCase()}).`);
          return;
        }
        await client.workflow.getHandle(runWorkflowId(runId)).cancel();
        const ended = await Promise.race([outcomeOf(client, runId), timeout()]);
        if (ended === undefined) {
          throw new CliError(
            exitCodes.unavailable,
            `Run ${runId} was asked to cancel but is still running.`,
            'Check that a worker is running: baton doctor',
          );
        }
        context.terminal.print(`Run ${runId}: ${ended.kind}.`);
      }),
    );
}

function timeout(): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), waitMs).unref());
}
