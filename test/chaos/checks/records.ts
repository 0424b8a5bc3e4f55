import { type AuditedAgent, auditRun } from '../../../client/prompt/audit-run';
import { replayAll } from '../../support/replay';
import type { Check } from './look';

/** `baton audit` finds no difference. */
export const auditIsClean: Check = async ({ round: { session, tree } }) => {
  const differences = ({ workflowId, difference, children }: AuditedAgent): string[] => [
    ...(difference === null ? [] : [`audit of ${workflowId}: ${difference}`]),
    ...children.flatMap(differences),
  ];
  return differences(await auditRun(session.client, session.store.forRun(tree.runId)));
};

/** Today's workflow code makes the decisions that every history records. */
export const everyHistoryReplays: Check = async ({ round: { session }, executions }) => {
  const { client } = session;
  async function* histories() {
    for (const { workflowId, runId } of executions)
      yield { workflowId, history: await client.workflow.getHandle(workflowId, runId).fetchHistory() };
  }
  return replayAll(histories(), client).then(
    () => [],
    (error: unknown) => [error instanceof Error ? error.message : String(error)],
  );
};
