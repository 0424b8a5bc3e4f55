import type { Client } from '@temporalio/client';
import { Command } from 'commander';
import { findAgent } from '../../client/agent/find-agent';
import { BatonError } from '../../client/client-errors';
import { formatCount, oneLine, type TimeStyle, withReadableTimes } from '../../client/format';
import { figureTexts } from '../../client/spending/format-figures';
import { readQuickFigures } from '../../client/spending/quick-figures';
import { readAmendedBudget } from '../../client/spending/read-budget';
import { diagnose } from '../../client/why';
import type { Diagnosis } from '../../client/why/why';
import { type AgentFigures, type Allowance, budgetTexts } from '../../domain/budget';
import { agentLabel, displayId, owningRunId, parseAgentId } from '../../domain/kernel';
import { type CliContext, withConnection } from '../context';
import { figuresReader } from '../screen/figures';
import { readableRows } from '../screen/readable-rows';
import { styledRows } from '../screen/styled-rows';
import { columns } from '../screen/table';
import { addTimeOption, type TimeOption } from '../screen/time-option';

/** `baton why`: explains a failure or a wait. */
export function whyCommand(context: CliContext): Command {
  const command = new Command('why')
    .description('explain why a run failed or what it is waiting for: the agent, the reason, the remedy')
    .argument('<run>', 'id of the run, <run>/<delegation>, or a workflow id');
  return addTimeOption(command)
    .option('--json', 'print JSON')
    .addHelpText('after', examples)
    .action((target: string, { json = false, utc = false }: TimeOption & { json?: boolean }) =>
      withConnection(context, async ({ client }) => {
        const why = await diagnoseNamed(client, target);
        const [workflowId = ''] = why.path;
        const reader = figuresReader(context, client, owningRunId(workflowId));
        // Asking the server about every agent of a large tree would take longer than the diagnosis.
        const figures = (await reader.readStored())?.of(workflowId) ?? (await readQuickFigures(client, workflowId));
        const budget = await readAmendedBudget(client, workflowId);
        if (json) context.terminal.printJson({ ...why, ...figures, budget });
        else {
          const text = whyText(why, { now: Date.now(), utc });
          const { terminal } = context;
          terminal.printLines(styledRows([text, ...spentLines(figures, budget)].join('\n'), terminal.columns()));
        }
      }),
    );
}

function spentLines(figures: AgentFigures | undefined, budget: Allowance | null): readonly string[] {
  if (figures === undefined) return [];
  const spent = figureTexts(figures);
  return [
    ...(spent.length === 0 ? [] : [`Spent: ${spent.join(' · ')}`]),
    ...budgetTexts(budget ?? {}, figures.withDelegations, formatCount).map((text) => `Budget: ${text}`),
  ];
}

/** A delegation may be named by its first letters. That takes more requests, so the whole id is tried first. */
async function diagnoseNamed(client: Client, target: string): Promise<Diagnosis> {
  try {
    return await diagnose(client, parseAgentId(target));
  } catch (error) {
    if (!(error instanceof BatonError && error.type === 'Client.NotFound') || !target.includes('/')) throw error;
    return diagnose(client, (await findAgent(client, target)).workflowId);
  }
}

const examples = `
Follows the failure, or the wait, down to the agent in which it began. This takes only a few requests to the server,
however large the tree is.

Examples:
  $ baton why 20261116-031522-k3f9q1
  $ baton why 20261116-031522-k3f9q1 --json | jq -r .type
`;

/** Formats a diagnosis for a terminal: verdict, agent, reason, and what to do. */
export function whyText(why: Diagnosis, times: TimeStyle): string {
  const { verdict, path, message, remedy, commands, remarks } = why;
  const leaf = path.at(-1) ?? '';
  const rows = [
    [verdict, path.map(agentLabel).join(' → ')],
    ['where', displayId(leaf)],
    ['why', oneLine(reasonText(why), 1_000)],
    ...(remedy === null || message.includes(remedy) ? [] : [['what to do', remedy]]),
    ...commands.map((command, index) => [index === 0 ? 'commands' : '', command]),
  ];
  const texts = remarks.map((remark) => withReadableTimes(oneLine(remark, 400), times));
  return [columns(readableRows(rows, times)), ...texts].join('\n');
}

/** Begin of a remedy by which it is found in a message that ends within it. */
const recognizable = 40;

/** The reason with its type. A message that was cut within the remedy is shown without it: it follows as a whole. */
function reasonText({ type, message, remedy }: Diagnosis): string {
  const at = remedy === null || message.includes(remedy) ? -1 : message.indexOf(remedy.slice(0, recognizable));
  const reason = at === -1 ? message : message.slice(0, at).trimEnd();
  return type === null || reason.includes(`${type}: `) ? reason : `${type}: ${reason}`;
}
