import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { plural } from '../../client/format';
import { delegationWorkflowContract } from '../../domain/delegation';
import { displayId, parentOf } from '../../domain/kernel';
import { sessionWorkflowContract } from '../../domain/session';
import type { CliContext, OpenConnection } from '../context';
import type { Check } from './checks';
import { overview } from '../../temporal-config/node/overview';

/** Maximum open workflows, and maximum parents, that are looked at. */
const mostListed = 5_000;
const mostParents = 100;

/** Looks for delegations and session hosts whose parent has closed: after a reset, the server does not close them. */
export function orphansCheck({ settings }: CliContext, { client }: OpenConnection): Check {
  return {
    name: 'Orphans',
    async run() {
      const orphans = await findOrphans(client, settings().taskQueue);
      const [first] = orphans;
      if (first === undefined) return { state: 'ok', detail: 'none' };
      const others = orphans.length === 1 ? '' : ` and ${plural(orphans.length - 1, 'more workflow')}`;
      return {
        state: 'warn',
        detail: `${first}${others} outlived the agent that started it, which was reset and then terminated`,
        fix: `It ends by itself within minutes; a delegation, after its current turn. To end it now: baton cancel ${displayId(first)}`,
      };
    },
  };
}

/** The server's list lags behind, so the parent of each candidate is looked at. */
async function findOrphans(client: Client, taskQueue: string): Promise<string[]> {
  const types = [delegationWorkflowContract.name, sessionWorkflowContract.name].map((name) => `'${name}'`).join(', ');
  const onQueue = `TaskQueue = ${JSON.stringify(taskQueue)} AND ExecutionStatus = 'Running'`;
  const children = new Map<string, string[]>();
  let listed = 0;
  for await (const { workflowId } of overview(client).list({ query: `${onQueue} AND WorkflowType IN (${types})` })) {
    const parent = parentOf(workflowId);
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), workflowId]);
    if (++listed >= mostListed) break;
  }
  const orphans: string[] = [];
  for (const [parent, below] of [...children].slice(0, mostParents)) {
    if (await isOpen(client, parent)) continue;
    for (const child of below) if (await isOpen(client, child)) orphans.push(child);
  }
  return orphans;
}

async function isOpen(client: Client, workflowId: string): Promise<boolean> {
  try {
    return (await overview(client).getHandle(workflowId).describe()).status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
