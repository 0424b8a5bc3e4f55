import { Command } from 'commander';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { plural } from '../../client/format';
import { storedWorkspace } from '../../client/record/stored-views';
import { foldedRoot, type RunFiles } from '../../client/workspace/run-files';
import { type CliContext, CliError, exitCodes } from '../context';
import { fromServerOrStore } from '../from-store';
import { type ApplyReport, applyTo } from './apply-plan';
import { scriptLines } from './diff';

interface ApplyOptions {
  readonly to?: string;
  readonly force?: boolean;
  readonly allowScripts?: boolean;
  readonly json?: boolean;
}

/** `baton apply`: writes a run's changes to its folder. */
export function applyCommand(context: CliContext, files: RunFiles): Command {
  return new Command('apply')
    .description('write the changes of a run to its folder: all of them, or none if the folder has changed since')
    .argument('<run>', 'id of the run')
    .option('--to <dir>', 'target folder (default: the folder that was mounted)')
    .option('--force', 'overwrite files that have changed in the folder since the run started')
    .option('--allow-scripts', 'also write hooks, CI files, package scripts, editor tasks and executable files')
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action(async (runId: string, options: ApplyOptions) => {
      const { to, force = false, allowScripts = false, json } = options;
      const workspace = await fromServerOrStore(context, runId, {
        server: ({ client }) => files.workspaceOf(client, runId),
        store: storedWorkspace,
      });
      const folder = await existingFolder(to ?? workspace.folder);
      const store = (await context.openStore()).forRun(runId);
      const root = await foldedRoot(store, workspace);
      const report = await applyTo(folder, { store, base: workspace.base, root, force, allowScripts });
      if (json === true) context.terminal.printJson({ folder, ...report });
      else print(context, folder, report);
      if (!report.applied) throw refusal(runId, options, report);
    });
}

const examples = `
Review the changes first with baton diff. Version control folders are never written to, and symbolic links are never followed.
Files that can run programs without being asked, such as git hooks and CI files, are written only with --allow-scripts:
without it, nothing is written if there are any.

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
    found === undefined ? `The folder "${folder}" does not exist on this machine.` : `"${folder}" is not a folder.`,
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

function refusal(runId: string, options: ApplyOptions, { obstacles, scripts }: ApplyReport): CliError {
  const inTheWay = obstacles.filter(({ forbidden }) => forbidden || options.force !== true);
  const notAllowed = options.allowScripts === true ? [] : scripts;
  const lines = [
    'Nothing was written:',
    ...inTheWay.map(({ path, reason }) => `  ${path} ${reason}`),
    ...(notAllowed.length === 0 ? [] : ['These files can run programs without being asked:']),
    ...scriptLines(notAllowed),
  ];
  return new CliError(exitCodes.failed, lines.join('\n'), remedy(runId, options, inTheWay, notAllowed));
}

function remedy(
  runId: string,
  { to, force }: ApplyOptions,
  inTheWay: ApplyReport['obstacles'],
  notAllowed: ApplyReport['scripts'],
): string {
  if (inTheWay.some(({ forbidden }) => forbidden)) return 'Apply to a clean copy with --to <dir>, or use baton diff.';
  if (notAllowed.length === 0) return 'Add --force to overwrite these files.';
  const target = to === undefined ? '' : ` --to ${JSON.stringify(to)}`;
  const overwrite = force === true || inTheWay.length > 0 ? ' --force' : '';
  return `Review them with: baton diff ${runId}\nWrite everything with: baton apply ${runId}${target}${overwrite} --allow-scripts`;
}
