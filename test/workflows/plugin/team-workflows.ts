import { executeChild, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { RunResult } from '../../../domain/agent';

interface TeamActivities {
  loadOrder(id: string): Promise<string>;
  failOften(text: string): Promise<never>;
}

const { loadOrder } = proxyActivities<TeamActivities>({ startToCloseTimeout: '1 minute' });
const { failOften } = proxyActivities<TeamActivities>({
  startToCloseTimeout: '1 minute',
  retry: { maximumAttempts: 1 },
});

/** A workflow that a team had before: in the middle of it, an agent decides. */
export async function checkOrder(id: string, runId: string): Promise<string> {
  const order = await loadOrder(id);
  const { answer } = await executeChild<(input: { goal: string }) => Promise<RunResult>>('runWorkflow', {
    workflowId: `run/${runId}`,
    args: [{ goal: `Is this order plausible? ${order}` }],
  });
  const failure = await failOften('as they were').catch((error: unknown) => (error as Error).cause);
  return `${workflowInfo().taskQueue}: ${'text' in answer ? answer.text : ''}, ${(failure as Error).message}`;
}
