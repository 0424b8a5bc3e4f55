import { Command } from 'commander';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { plural } from '../../client/format';
import { foldedRoot, type RunFiles } from '../../client/workspace/run-files';
import { type CliContext, CliError, exitCodes, withConnection } from '../context';
import { type ApplyReport, applyTo } from './apply-plan';

interface ApplyOptions {
  readonly to?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** `baton apply`: writes a run's changes to its folder. */
export function applyCommand(context: CliContext, files: RunFiles): Command {
  return new Command('apply')
    .description('write the changes of a run to its folder: all of them, or none if the folder has changed since')
    .argument('<run>', 'id of the run')
    .option('--to <dir>', 'target folder (default: the folder that was mounted)')
    .option('--force', 'overwrite files that have changed in the folder since the run started')
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action(async (runId: string, { to, force, json }: ApplyOptions) => {
      const workspace = await withConnection(context, ({ client }) => files.workspaceOf(client, runId));
      const folder = await existingFolder(to ?? workspace.folder);
      const store = (await context.openStore()).forRun(runId);
      const root = await foldedRoot(store, workspace);
      const report = await applyTo(folder, { store, base: workspace.base, root, ...(force === true ? { force } : {}) });
      if (json === true) context.terminal.printJson({ folder, ...report });
      else print(context, folder, report);
      if (!report.applied) throw refusal(report);
    });
}

const examples = `
Review the changes first with baton diff. Version control folders are never written to, and symbolic links are never followed.

Examples:
  $ baton apply 20261116-031522-k3f9q1
  $ baton apply 20261116-031522-k3f9q1 --to ../copy
`;

async function existingFolder(folder: string | undefined): Promise<string> {
  if (folder === undefined) {
    throw new CliError(
      exitCodes.misused,
      "The run's original folder is not known.",
      'Pass the target folder with --to <dir>.',
    );
  }
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() === true) return resolve(folder);
  throw new CliError(
    exitCodes.failed,
    `The folder "${folder}" does not exist on this machine.`,
    'Pass another folder with --to <dir>.',
  );
}

function print({ terminal }: CliContext, folder: string, { applied, written, deleted, unchanged }: ApplyReport): void {
  if (!applied) return;
  for (const path of written) terminal.print(`wrote    ${path}`);
  for (const path of deleted) terminal.print(`deleted  ${path}`);
  const already = unchanged.length === 0 ? '' : ` ${unchanged.length} already up to date.`;
  terminal.note(`${plural(written.length + deleted.length, 'file')} changed in ${folder}.${already}`);
}

function refusal({ obstacles }: ApplyReport): CliError {
  const list = obstacles.map(({ path, reason }) => `  ${path} ${reason}`);
  const forcible = obstacles.every(({ forbidden }) => !forbidden);
  const remedy = forcible
    ? 'Add --force to overwrite these files.'
    : 'Apply to a clean copy with --to <dir>, or use baton diff.';
  return new CliError(exitCodes.failed, ['Nothing was written:', ...list].join('\n'), remedy);
}
