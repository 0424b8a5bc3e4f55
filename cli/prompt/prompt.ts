import type { Client } from '@temporalio/client';
import { Command } from 'commander';
import { findAgent } from '../../client/agent/find-agent';
import { readRecordedAgent } from '../../client/agent/history';
import { describeRun } from '../../client/agent/outcome';
import { formatBytes } from '../../client/format';
import { type AuditedAgent, auditRun } from '../../client/prompt/audit-run';
import type { OpenedAgent } from '../../domain/agent';
import { owningRunId, runWorkflowId } from '../../domain/kernel';
import { formatSectionPath } from '../../domain/prompt';
import type { BlobRef, RunStore } from '../../domain/store';
import { getPromptRecord, loadPrompt } from '../../store/prompts';
import { type CliContext, CliError, exitCodes, withConnection } from '../context';

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
      withConnection(context, async ({ client }) => {
        const { workflowId } = await findAgent(client, agent);
        const runId = owningRunId(workflowId);
        const opened = await openedAgent(client, root === true ? runWorkflowId(runId) : workflowId);
        const store = (await context.openStore()).forRun(runId);
        const ref = parent === true ? await parentPrompt(store, opened, workflowId) : opened.prompt;
        if (sections === true) context.terminal.print(await sectionLines(store, ref));
        else context.terminal.write(await loadPrompt(store, ref, 'baton prompt'));
      }),
    );
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

async function parentPrompt(store: RunStore, opened: OpenedAgent, workflowId: string): Promise<BlobRef> {
  const { origin } = await getPromptRecord(store, opened.prompt, 'baton prompt');
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
    .action((runId: string, { json }: { json?: boolean }) =>
      withConnection(context, async ({ client }) => {
        await describeRun(client, runId);
        const store = (await context.openStore()).forRun(runId);
        const root = await auditRun(client, store);
        const { blobs, damaged } = await store.verify();
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
      }),
    );
}

const auditExamples = `
For every agent, the prompt is rendered or composed again from its record, the parent's prompt is extracted from it and
compared, and the transcript is verified link by link. The exit code is 1 on any difference.

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
