import { Command } from 'commander';
import { resolve } from 'node:path';
import { formatBytes, plural } from '../../client/format';
import { storedReport } from '../../client/record/stored-views';
import { gatherReport } from '../../client/report/gather-report';
import { collectOften } from '../collect-often';
import type { CliContext, OpenConnection } from '../context';
import { fromServerOrStore } from '../from-store';
import { readManifest } from '../package';
import { librarySource, readBuiltPage } from '../ui/serve';
import { reportPage } from './page';
import { PrivateFile } from './private-file';
import { recordRun } from './record-run';
import { RecordedPage } from './recorded-page';

/** A written report. */
interface Report {
  readonly bytes: number;
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
      collectOften();
      const file = resolve(out);
      const written = await (plain === true ? plainReport : recordedReport)(context, runId, file);
      for (const gap of written.gaps) context.terminal.note(gap);
      context.terminal.print(`${file} (${formatBytes(written.bytes)}, ${plural(written.agents, 'agent')})`);
    });
}

/** Writes the page of `baton ui`, with the run inside. */
function recordedReport(context: CliContext, runId: string, path: string): Promise<Report> {
  const { html } = readBuiltPage();
  const record = async (connected: OpenConnection | null): Promise<Report> => {
    const source = await librarySource(context, connected, { isReadOnce: true });
    return writing(path, async (write) => {
      const page = new RecordedPage(html, write);
      const version = readManifest().version;
      const recorded = await recordRun(source, runId, { version }, (agent, packed) => page.agent(agent, packed));
      await page.end(recorded);
      return recorded.run;
    });
  };
  return fromServerOrStore(context, runId, { server: record, store: () => record(null) });
}

async function plainReport(context: CliContext, runId: string, path: string): Promise<Report> {
  const model = await fromServerOrStore(context, runId, {
    server: ({ client }) => gatherReport(client, runId, async () => (await context.openStore()).forRun(runId)),
    store: storedReport,
  });
  return writing(path, async (write) => {
    await write(reportPage(model));
    return model;
  });
}

type Written = Pick<Report, 'gaps'> & { readonly agents: readonly unknown[] };

/** Writes a file that is there only if all of it could be written. */
async function writing(
  path: string,
  work: (write: (piece: string) => Promise<void>) => Promise<Written>,
): Promise<Report> {
  const file = await PrivateFile.create(path);
  try {
    const { gaps, agents } = await work((piece) => file.write(piece));
    return { bytes: await file.finish(), gaps, agents: agents.length };
  } catch (error) {
    await file.discard();
    throw error;
  }
}

const examples = `
The page is that of baton ui, with the run inside: tree, timeline, conversations, prompts, files, artifacts, budgets. It
contains everything that agents were sent and wrote, so treat it as confidentially as that: only you can read the file.

Examples:
  $ baton report 20261116-031522-k3f9q1 --out report.html
  $ baton report 20261116-031522-k3f9q1 --plain
`;
