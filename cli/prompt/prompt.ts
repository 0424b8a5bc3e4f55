import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { Command } from 'commander';
import { runIdOf, runWorkflowId } from '../../domain/kernel/ids';
import type { OpenedAgent } from '../../domain/agent/progress';
import type { BlobRef } from '../../domain/store/blob-ref';
import type { RunStore } from '../../domain/store/store';
import { getPromptRecord, loadPrompt } from '../../store/prompts';
import { CliError, exitCodes } from '../context';
import { withConnection, type CliContext } from '../context-merging';
import { readRecordedAgent } from '../../client/agent/history';

/** `baton prompt`: prints the exact prompt of an agent. */
export function promptCommand(context: CliContext): Command {
  return new Command('prompt')
    .description('print the prompt of an agent, byte for byte')
    .argument('<agent>', 'run id, or workflow id of a delegation')
    .option('--parent', "print the parent's prompt instead")
    .option('--root', "print the root agent's prompt instead")
    .addHelpText('after', examples)
    .action((agent: string, { parent, root }: { parent?: boolean; root?: boolean }) =>
      withConnection(context, async ({ client }) => {
        const workflowId = agent.includes('/') ? agent : runWorkflowId(agent);
        const opened = await openedAgent(
          client,
          root === true ? runWorkflowId(runIdOf(workflowId) ?? agent) : workflowId,
        );
        const store = (await context.openStore()).forRun(runIdOf(workflowId) ?? agent);
        const ref = parent === true ? await parentPrompt(store, opened, workflowId) : opened.prompt;
        context.terminal.write(await loadPrompt(store, ref, 'baton prompt'));
      }),
    );
}

const examples = `
Nothing is added to the bytes, not even a final newline.

Examples:
  $ baton prompt 20261116-031522-k3f9q1
  $ baton prompt run/20261116-031522-k3f9q1/4f7s9k2m1n8p6q3r5t0v2w4x6y --parent
  $ baton prompt 20261116-031522-k3f9q1 | sha256sum
`;

async function openedAgent(client: Client, workflowId: string): Promise<OpenedAgent> {
  const { opened } = await readRecordedAgent(client, workflowId).catch((error: unknown) => {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    throw new CliError(exitCodes.failed, `Agent "${workflowId}" does not exist.`, 'List runs with: baton list');
  });
  if (opened === undefined) throw new CliError(exitCodes.failed, `${workflowId} has no prompt yet.`);
  return opened;
}

async function parentPrompt(store: RunStore, opened: OpenedAgent, workflowId: string): Promise<BlobRef> {
  const { origin } = await getPromptRecord(store, opened.prompt, 'baton prompt');
  if (origin.kind === 'composed') return origin.parent;
  throw new CliError(exitCodes.misused, `${workflowId} is a root agent and has no parent.`);
}
