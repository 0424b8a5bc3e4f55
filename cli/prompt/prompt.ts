import type { Client } from '@temporalio/client';
import { Command } from 'commander';
import { findAgent } from '../../client/agent/find-agent';
import { readRecordedAgent } from '../../client/agent/history';
import { describeRun } from '../../client/agent/outcome';
import { formatBytes } from '../../client/format';
import { type AuditedAgent, auditRun, auditStoredRun } from '../../client/prompt/audit-run';
import { findStoredAgent } from '../../client/record/stored-run';
import type { OpenedAgent } from '../../domain/agent';
import { owningRunId, runWorkflowId } from '../../domain/kernel';
import { formatSectionPath } from '../../domain/prompt';
import type { BlobRef, RunStore } from '../../domain/store';
import { getPromptRecord, loadPrompt } from '../../store/prompts';
import { collectOften } from '../collect-often';
import { type CliContext, CliError, exitCodes } from '../context';
import { fromServerOrStore } from '../from-store';

/** `baton prompt`: prints the exact prompt of an agent. */
export function promptCommand(context: CliContext): Command {
  return new Command('prompt')
    .description('print the prompt of an agent, byte for byte')
    .argument('<agent>', 'id of the run, <run>/<delegation>, or a workflow id')
    .option('--parent', "print the parent's prompt instead")
    .option('--root', "print the root agent's prompt instead")
    .option('--sections', 'print the paths and sizes of its sections instead of its text')
    .addHelpText('after', promptExamples)
    .action((agent: string, { parent, root, sections }: { parent?: boolean; root?: boolean; sections?: boolean }) =>
      printPrompt(context, agent, {
        which: parent === true ? 'parent' : root === true ? 'root' : 'own',
        sections: sections ?? false,
      }),
    );
}

interface PromptToPrint {
  readonly which: 'own' | 'parent' | 'root';
  /** Whether to print a list of its sections instead. */
  readonly sections: boolean;
}

async function printPrompt(context: CliContext, target: string, { which, sections }: PromptToPrint): Promise<void> {
  const { workflowId, prompt } = await fromServerOrStore(context, target, {
    async server({ client }) {
      const found = await findAgent(client, target);
      const shown = which === 'root' ? runWorkflowId(owningRunId(found.workflowId)) : found.workflowId;
      return { workflowId: shown, prompt: (await openedAgent(client, shown)).prompt };
    },
    store(run) {
      const { workflowId: shown, opened } = which === 'root' ? run.root : findStoredAgent(run, target);
      return { workflowId: shown, prompt: opened.prompt };
    },
  });
  const store = (await context.openStore()).forRun(owningRunId(workflowId));
  const ref = which === 'parent' ? await parentPrompt(store, prompt, workflowId) : prompt;
  if (sections) context.terminal.print(await sectionLines(store, ref));
  else context.terminal.write(await loadPrompt(store, ref, 'baton prompt'));
}

const promptExamples = `
Nothing is added to the bytes, not even a final newline. Only on a screen, control characters are shown as escapes.

Examples:
  $ baton prompt 20261116-031522-k3f9q1
  $ baton prompt 20261116-031522-k3f9q1/4f7s9k2m --parent
  $ baton prompt 20261116-031522-k3f9q1 | sha256sum
  $ baton prompt 20261116-031522-k3f9q1 --sections
`;

/** The paths that a redaction can name. */
async function sectionLines(store: RunStore, prompt: BlobRef): Promise<string> {
  const { sections } = await getPromptRecord(store, prompt, 'baton prompt');
  return sections.map(({ path, start, end }) => `${formatSectionPath(path)}  ${formatBytes(end - start)}`).join('\n');
}

async function openedAgent(client: Client, workflowId: string): Promise<OpenedAgent> {
  const { opened } = await readRecordedAgent(client, workflowId);
  if (opened === undefined) throw new CliError(exitCodes.failed, `${workflowId} has no prompt yet.`);
  return opened;
}

async function parentPrompt(store: RunStore, prompt: BlobRef, workflowId: string): Promise<BlobRef> {
  const { origin } = await getPromptRecord(store, prompt, 'baton prompt');
  if (origin.kind === 'composed') return origin.parent;
  throw new CliError(exitCodes.misused, `${workflowId} is a root agent and has no parent.`);
}

/** `baton audit`: checks every recorded prompt of a run. */
export function auditCommand(context: CliContext): Command {
  return new Command('audit')
    .description('rebuild every prompt of a run from its history and the store, and compare byte for byte')
    .argument('<run>', 'id of the run')
    .option('--json', 'print JSON')
    .addHelpText('after', auditExamples)
    .action(async (runId: string, { json }: { json?: boolean }) => {
      collectOften();
      const root = await fromServerOrStore(context, runId, {
        async server({ client }) {
          await describeRun(client, runId);
          return auditRun(client, (await context.openStore()).forRun(runId));
        },
        store: auditStoredRun,
      });
      const { blobs, damaged } = await (await context.openStore()).forRun(runId).verify();
      const { terminal } = context;
      if (json === true) terminal.printJson({ root, blobs, damaged });
      else {
        terminal.print(toLines(root, '').join('\n'));
        terminal.print(
          damaged.length === 0 ? `✓ ${blobs} stored blobs match their hash` : `✗ damaged: ${damaged.join(', ')}`,
        );
      }
      if (differs(root) || damaged.length > 0)
        throw new CliError(exitCodes.failed, `Run ${runId} differs from its record.`);
    });
}

const auditExamples = `
For every agent, the prompt is rendered or composed again from its record, the parent's prompt is extracted from it and
compared, the transcript is verified link by link, and the delegation id is computed again. The exit code is 1 on any
difference. A run that the server no longer has is audited from the store.

Examples:
  $ baton audit 20261116-031522-k3f9q1
`;

function toLines({ workflowId, prompt, difference, children }: AuditedAgent, indent: string): string[] {
  const line = difference === null ? `✓ ${workflowId}  ${prompt ?? ''}` : `✗ ${workflowId}: ${difference}`;
  return [`${indent}${line}`, ...children.flatMap((child) => toLines(child, `${indent}  `))];
}

function differs({ difference, children }: AuditedAgent): boolean {
  return difference !== null || children.some(differs);
}
