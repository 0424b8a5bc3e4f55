import { Command } from 'commander';
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { formatBytes, plural } from '../../client/format';
import { storedReport } from '../../client/record/stored-views';
import { gatherReport } from '../../client/report/gather-report';
import { type CliContext, CliError, exitCodes, type OpenConnection } from '../context';
import { fromServerOrStore } from '../from-store';
import { readManifest } from '../package';
import { librarySource, readBuiltPage } from '../ui/serve';
import { reportPage } from './page';
import { recordRun } from './record-run';
import { recordedPage } from './recorded-page';

/** A written report. */
interface Report {
  readonly page: string;
  readonly gaps: readonly string[];
  readonly agents: number;
}

/** `baton report`: writes a run as one HTML page. */
export function reportCommand(context: CliContext): Command {
  return new Command('report')
    .description('write a run as one HTML page that works offline')
    .argument('<run>', 'id of the run')
    .option('--out <file>', 'file to write', 'report.html')
    .option('--plain', 'write a page without script: shorter, and without conversations')
    .addHelpText('after', examples)
    .action(async (runId: string, { out, plain }: { out: string; plain?: boolean }) => {
      const report = plain === true ? await plainReport(context, runId) : await recordedReport(context, runId);
      const file = resolve(out);
      await writePrivately(file, report.page).catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        throw new CliError(
          exitCodes.misused,
          `The report can't be written: ${reason}`,
          'Pass a writable file with --out.',
        );
      });
      for (const gap of report.gaps) context.terminal.note(gap);
      context.terminal.print(
        `${file} (${formatBytes(Buffer.byteLength(report.page))}, ${plural(report.agents, 'agent')})`,
      );
    });
}

/** The page of `baton ui`, with the run inside. */
function recordedReport(context: CliContext, runId: string): Promise<Report> {
  const { html } = readBuiltPage();
  const record = async (connected: OpenConnection | null): Promise<Report> => {
    const source = await librarySource(context, connected);
    const recording = await recordRun(source, runId, { version: readManifest().version });
    const { agents, gaps } = recording.run;
    return { page: recordedPage(html, recording), gaps, agents: agents.length };
  };
  return fromServerOrStore(context, runId, { server: record, store: () => record(null) });
}

async function plainReport(context: CliContext, runId: string): Promise<Report> {
  const model = await fromServerOrStore(context, runId, {
    server: ({ client }) => gatherReport(client, runId, async () => (await context.openStore()).forRun(runId)),
    store: storedReport,
  });
  return { page: reportPage(model), gaps: model.gaps, agents: model.agents.length };
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
The page is that of baton ui, with the run inside: tree, timeline, conversations, prompts, files, artifacts, budgets. It
contains everything that agents were sent and wrote, so treat it as confidentially as that: only you can read the file.

Examples:
  $ baton report 20261116-031522-k3f9q1 --out report.html
  $ baton report 20261116-031522-k3f9q1 --plain
`;
