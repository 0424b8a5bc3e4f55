import { Command } from 'commander';
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { formatBytes, plural } from '../../client/format';
import { storedReport } from '../../client/record/stored-views';
import { gatherReport } from '../../client/report/gather-report';
import { type CliContext, CliError, exitCodes } from '../context';
import { fromServerOrStore } from '../from-store';
import { reportPage } from './page';

/** `baton report`: writes a run as one HTML page. */
export function reportCommand(context: CliContext): Command {
  return new Command('report')
    .description('write a run as one HTML page that works offline')
    .argument('<run>', 'id of the run')
    .option('--out <file>', 'file to write', 'report.html')
    .addHelpText('after', examples)
    .action(async (runId: string, { out }: { out: string }) => {
      const model = await fromServerOrStore(context, runId, {
        server: ({ client }) => gatherReport(client, runId, async () => (await context.openStore()).forRun(runId)),
        store: storedReport,
      });
      const page = reportPage(model);
      const file = resolve(out);
      await writePrivately(file, page).catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        throw new CliError(
          exitCodes.misused,
          `The report can't be written: ${reason}`,
          'Pass a writable file with --out.',
        );
      });
      for (const gap of model.gaps) context.terminal.note(gap);
      context.terminal.print(
        `${file} (${formatBytes(Buffer.byteLength(page))}, ${plural(model.agents.length, 'agent')})`,
      );
    });
}

/** Writes a file that only its owner can read, also if it replaces one that others could read. */
async function writePrivately(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    if ((await file.stat()).isFile()) await file.chmod(0o600);
    await file.writeFile(text);
  } finally {
    await file.close();
  }
}

const examples = `
The page shows the agent tree, timeline, tokens and cost, prompts, artifacts and decisions. It contains everything that
agents were sent and wrote, so treat it as confidentially as that: only you can read the file.

Examples:
  $ baton report 20261116-031522-k3f9q1 --out report.html
`;
