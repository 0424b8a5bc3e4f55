import { Command } from 'commander';
import { realpath, stat } from 'node:fs/promises';
import { formatBytes, plural } from '../../client/format';
import { storedArtifacts } from '../../client/record/stored-views';
import type { RunArtifact, RunFiles } from '../../client/workspace/run-files';
import type { RunStore } from '../../domain/store';
import { parsePath } from '../../domain/workspace';
import { makeFolder } from '../../temporal-config/node/make-folder';
import { type CliContext, CliError, exitCodes } from '../context';
import { fromServerOrStore } from '../from-store';
import { columns } from '../screen/table';
import { writeInside } from './write-inside';

/** `baton artifacts`: lists or exports the artifacts of a run. */
export function artifactsCommand(context: CliContext, files: RunFiles): Command {
  return new Command('artifacts')
    .description('list the artifacts that the agents of a run wrote, or export them as files')
    .argument('<run>', 'id of the run')
    .option('--out <dir>', 'write the artifacts to this folder')
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action(async (runId: string, { out, json }: { out?: string; json?: boolean }) => {
      const artifacts = await fromServerOrStore(context, runId, {
        server: ({ client }) => files.artifactsOf(client, runId),
        store: storedArtifacts,
      });
      if (out !== undefined) await writeAll((await context.openStore()).forRun(runId), artifacts, out);
      print(context, artifacts, json ?? false);
      if (out !== undefined) context.terminal.note(`Wrote ${plural(artifacts.length, 'artifact')} to ${out}.`);
    });
}

const examples = `
Examples:
  $ baton artifacts 20261116-031522-k3f9q1
  $ baton artifacts 20261116-031522-k3f9q1 --out results
`;

async function writeAll(store: RunStore, artifacts: readonly RunArtifact[], folder: string): Promise<void> {
  await makeFolder(folder);
  if (!(await stat(folder)).isDirectory())
    throw new CliError(exitCodes.misused, `"${folder}" is not a folder.`, 'Pass another folder with --out <dir>.');
  const top = await realpath(folder);
  for (const { name, ref } of artifacts) {
    await writeInside(top, parsePath(name), await store.get(ref, `artifact "${name}"`));
  }
}

function print({ terminal }: CliContext, artifacts: readonly RunArtifact[], json: boolean): void {
  if (json) terminal.printJson(artifacts);
  else if (artifacts.length === 0) terminal.note('The run has no artifacts.');
  else
    terminal.print(
      columns(artifacts.map(({ name, ref, by }) => [name, formatBytes(ref.bytes), ref.mediaType, by ?? ''])),
    );
}
