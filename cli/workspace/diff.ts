import { Command } from 'commander';
import { withConnection, type CliContext } from '../context-merging';
import { foldedRoot } from '../../client/workspace/folded-root';
import { unifiedPatch } from './patch';
import type { RunFiles } from '../../client/workspace/run-files';

/** `baton diff`: prints a run's changes as a patch. */
export function diffCommand(context: CliContext, files: RunFiles): Command {
  return new Command('diff')
    .description('print the changes of a run to its workspace as a patch')
    .argument('<run>', 'id of the run')
    .addHelpText('after', examples)
    .action(async (runId: string) => {
      const workspace = await withConnection(context, ({ client }) => files.workspaceOf(client, runId));
      const store = (await context.openStore()).forRun(runId);
      const patch = await unifiedPatch(store, workspace.base, await foldedRoot(store, workspace));
      if (patch === '') context.terminal.note('The run changed no files.');
      else context.terminal.write(Buffer.from(patch, 'utf8'));
    });
}

const examples = `
A run never changes the folder itself; to do so, use baton apply. For binary files, the patch only notes that they differ.

Examples:
  $ baton diff 20261116-031522-k3f9q1
  $ baton diff 20261116-031522-k3f9q1 | git apply --check
`;
