import type { Client } from '@temporalio/client';
import { readRootMemo, rootTitle } from '../../domain/agent';
import { runWorkflowId } from '../../domain/kernel';
import type { RunStore } from '../../domain/store';
import { readSpilled } from '../../store/blobs';
import { readEnding } from '../agent/ending';
import { describeRun } from '../agent/outcome';
import { firstStart } from '../agent/run-times';
import { readEvents } from '../event/read-events';
import { readRunFigures } from '../spending/read-figures';
import { readQueue } from '../why/task-queues';
import { AgentFacts } from './agent-facts';
import { agentsFromEvents, gatherArtifacts, type LoggedAgent } from './from-events';
import type { ReportAgent, ReportModel } from './report-model';

/**
 * Gathers the data of a run's report from histories, from the store, and from a worker. `baton report` renders the same
 * data as an HTML page.
 *
 * If the store or a worker can't be reached, the rest is still gathered and `gaps` lists what is missing. Throws a
 * `BatonError` if the run does not exist.
 *
 * @example
 * const store = await openStore(readSettings());
 * const model = await gatherReport(client, 'licenses-7', async () => store.forRun('licenses-7'));
 * for (const { workflowId, turns, microUsd } of model.agents) console.log(workflowId, turns, microUsd);
 */
export async function gatherReport(
  client: Client,
  runId: string,
  openStore: () => Promise<RunStore>,
): Promise<ReportModel> {
  const description = await describeRun(client, runId);
  const { memo, status, closeTime, taskQueue } = description;
  const gaps: string[] = [];
  const store = await openStore().catch((error: unknown) => {
    gaps.push(`The store can't be read here (${messageOf(error)}): prompts, artifacts and long answers are missing.`);
    return undefined;
  });
  const logged = await agentsFromEvents(readEvents(client, runId));
  const openSame = store === undefined ? undefined : () => Promise.resolve(store);
  const figures = await readRunFigures({ client, openStore: openSame }, runId);
  const facts = new AgentFacts(client, store, figures, gaps);
  // Otherwise the first Query would wait in vain.
  if ((await readQueue(client, taskQueue, 'workflow')).workers === 0) facts.reportUnreachable();
  const agents = await gatherAgents(facts, logged, gaps);
  const described = readRootMemo(memo);
  return {
    runId,
    goal: described.goal ?? '',
    title: rootTitle(described),
    status: status.name.toLowerCase().replaceAll('_', ' '),
    madeAt: Date.now(),
    startedAt: await firstStart(client, description),
    endedAt: closeTime?.getTime() ?? Date.now(),
    // The server would wait for the end of a run that has not ended.
    answer: status.name === 'RUNNING' ? null : await answerOf(client, runId, store, gaps),
    agents,
    artifacts: await gatherArtifacts(client, runId, { agents: logged, hasWorker: !facts.isUnreachable, store, gaps }),
    gaps,
  };
}

/** Maximum agents with all facts. Each takes several requests, and adds its prompt to the page. */
const maxComplete = 250;

/** Completes the root first. If no worker answers for it, the other agents are not queried. */
async function gatherAgents(facts: AgentFacts, logged: readonly LoggedAgent[], gaps: string[]): Promise<ReportAgent[]> {
  const [root, ...others] = logged;
  if (root === undefined) return [];
  const chosen = new Set([...others].sort((a, b) => interest(b) - interest(a)).slice(0, maxComplete - 1));
  if (chosen.size < others.length) {
    gaps.push(
      `Only ${maxComplete} of ${logged.length} agents are shown with prompt, incidents and decisions: the root, then those that operators dealt with, failed or are running, then the first ones.`,
    );
  }
  const first = await facts.complete(root);
  const rest = others.map((agent) =>
    chosen.has(agent) ? facts.complete(agent) : Promise.resolve(facts.estimate(agent)),
  );
  return [first, ...(await Promise.all(rest))];
}

function interest({ isNotable, status }: LoggedAgent): number {
  return isNotable ? 2 : Number(status !== 'completed');
}

async function answerOf(
  client: Client,
  runId: string,
  store: RunStore | undefined,
  gaps: string[],
): Promise<string | null> {
  const answer = (await readEnding(client, runWorkflowId(runId)))?.answer ?? null;
  if (answer === null || 'text' in answer) return answer?.text ?? null;
  if (store === undefined) return null;
  return readSpilled(store, answer, 'report').catch((error: unknown) => {
    gaps.push(`The answer can't be read: ${messageOf(error)}`);
    return null;
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
