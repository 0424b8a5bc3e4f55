import { Command } from 'commander';
import { auditRun, type AuditedAgent } from '../../client/prompt/audit-run';
import { CliError, exitCodes } from '../context';
import { withConnection, type CliContext } from '../context-merging';
import { describeRun } from '../../client/agent/run-view';

/** `baton audit`: checks every recorded prompt of a run. */
export function auditCommand(context: CliContext): Command {
  return new Command('audit')
    .description('rebuild every prompt of a run from its history and the store, and compare byte for byte')
    .argument('<run>', 'id of the run')
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action((runId: string, { json }: { json?: boolean }) =>
      withConnection(context, async ({ client }) => {
        await describeRun(client, runId);
        const store = (await context.openStore()).forRun(runId);
        const root = await auditRun(client, store);
        const { blobs, damaged } = await store.verify();
        const { terminal } = context;
        if (json === true) terminal.print(JSON.stringify({ root, blobs, damaged }));
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

const examples = `
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
