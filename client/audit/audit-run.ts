import type { Client } from '@temporalio/client';
import { runWorkflowId } from '../../domain/ids';
import type { OpenedAgent } from '../../domain/run/progress';
import type { RunStore } from '../../domain/store/store';
import { findRootTools } from '../../store/root-tools';
import { recordedAgent, type RecordedAgent } from '../history';
import { checkAgent } from './check-agent';

export interface AuditedAgent {
  readonly workflowId: string;
  readonly prompt: string | null;
  /** What is wrong with it; null when nothing is. */
  readonly difference: string | null;
  readonly children: readonly AuditedAgent[];
}

/** Makes every prompt of a run again, from its history and its store, and compares. */
export function auditRun(client: Client, store: RunStore): Promise<AuditedAgent> {
  return audit(client, store, runWorkflowId(store.runId), undefined);
}

async function audit(
  client: Client,
  store: RunStore,
  workflowId: string,
  parent: OpenedAgent | undefined,
): Promise<AuditedAgent> {
  const agent = await recordedAgent(client, workflowId);
  const children: AuditedAgent[] = [];
  for (const child of agent.children) children.push(await audit(client, store, child, agent.opened));
  return {
    workflowId,
    prompt: agent.opened?.prompt.hash ?? null,
    difference: (await checkAgent(store, agent, parent)) ?? (await checkRootTools(store, agent, parent)) ?? null,
    children,
  };
}

/** What anyone in the run can be granted is what its root was given. */
async function checkRootTools(
  store: RunStore,
  { opened }: RecordedAgent,
  parent: OpenedAgent | undefined,
): Promise<string | undefined> {
  if (opened === undefined || parent !== undefined) return undefined;
  try {
    const kept = await findRootTools(store);
    return kept?.hash === opened.toolList.hash ? undefined : 'the tools kept for requests are not those of the root';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
