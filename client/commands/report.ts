import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { CliError, exitCodes } from '../cli';
import { withConnection, type CliContext } from '../context';
import { bytes } from '../format';
import { gatherReport, reportPage } from '../report';

export function reportCommand(context: CliContext): Command {
  return new Command('report')
    .description('write everything about a run into one HTML page that works offline')
    .argument('<run>', 'id of the run')
    .option('--out <file>', 'where to write it', 'report.html')
    .addHelpText('after', examples)
    .action((runId: string, { out }: { out: string }) =>
      withConnection(context, async ({ client }) => {
        const model = await gatherReport(client, runId, async () => (await context.openStore()).forRun(runId));
        const page = reportPage(model);
        const file = resolve(out);
        await writeFile(file, page).catch((error: unknown) => {
          const reason = error instanceof Error ? error.message : String(error);
          throw new CliError(exitCodes.misused, `The report can't be written: ${reason}`, 'Choose another --out.');
        });
        for (const gap of model.gaps) context.terminal.warn(gap);
        context.terminal.print(`${file} (${bytes(Buffer.byteLength(page))}, ${model.agents.length} agents)`);
      }),
    );
}

const examples = `
Tree of agents, timeline, tokens and cost, prompts, artifacts, decisions. It holds what agents were told and what they
wrote: share it as you would share those.

Examples:
  $ baton report 20261116-031522-k3f9q1 --out report.html
`;
