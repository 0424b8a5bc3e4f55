import type { Client } from '@temporalio/client';
import { runWorkflowId } from '../../domain/kernel/ids';
import type { OpenedAgent } from '../../domain/agent/progress';
import type { RunStore } from '../../domain/store/store';
import { findRootTools } from '../../store/root-tools';
import { readRecordedAgent, type RecordedAgent } from '../agent/history';
import { checkAgent } from './check-agent';

/** The result of the audit of one agent and of the agents below it. */
export interface AuditedAgent {
  readonly workflowId: string;
  /** Hash of the prompt; null when no prompt is recorded. */
  readonly prompt: string | null;
  /** The first difference from the record; null when there is none. */
  readonly difference: string | null;
  readonly children: readonly AuditedAgent[];
}

/**
 * Rebuilds every prompt of a run from its history and store, and compares it with the recorded one.
 *
 * Differences are returned, not thrown: check `difference` of every agent. Throws when the server does not have the
 * history of an agent.
 *
 * @example
 * const store = await openFileStore(readSettings().storeDir);
 * const root = await auditRun(client, store.forRun('licenses-7'));
 * if (root.difference !== null) console.error(root.difference);
 */
export function auditRun(client: Client, store: RunStore): Promise<AuditedAgent> {
  return audit(client, store, runWorkflowId(store.runId), undefined);
}

async function audit(
  client: Client,
  store: RunStore,
  workflowId: string,
  parent: OpenedAgent | undefined,
): Promise<AuditedAgent> {
  const agent = await readRecordedAgent(client, workflowId);
  const children: AuditedAgent[] = [];
  for (const child of agent.children) children.push(await audit(client, store, child, agent.opened));
  return {
    workflowId,
    prompt: agent.opened?.prompt.hash ?? null,
    difference: (await checkAgent(store, agent, parent)) ?? (await checkRootTools(store, agent, parent)) ?? null,
    children,
  };
}

/** Checks the tool list that limits `request_tool`: an agent can be granted only tools that the root has. */
async function checkRootTools(
  store: RunStore,
  { opened }: RecordedAgent,
  parent: OpenedAgent | undefined,
): Promise<string | undefined> {
  if (opened === undefined || parent !== undefined) return undefined;
  try {
    const stored = await findRootTools(store);
    return stored?.hash === opened.toolList.hash
      ? undefined
      : 'the tool list stored for tool requests is not that of the root agent';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
