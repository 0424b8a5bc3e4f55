import type { Client } from '@temporalio/client';
import { z } from 'zod';
import type { ModelPort } from '../activities/dependencies';
import { defineTool } from '../activities/tool/define-tool';
import { defaultLimits, type StatusSnapshot } from '../domain/agent';
import { runWorkflowId } from '../domain/kernel';
import { totalTokens } from '../domain/model';
import { snapshotQuery } from '../workflows/messages';
import { contextWindow, decision, report, reportBytes, turnsOfWork, turnsPerDecision } from './workloads';
import { compression } from './support/compression';
import { newRunId, playRun } from './support/runs';
import { type BenchEnvironment, startEnvironment } from './support/environment';
import { median, seconds } from './support/statistics';
import { batonWorker } from './support/workers';

const at = 0.6;
/** Largest allowed context usage. A turn adds its result, its call and their overhead. */
const mostTokens = at * contextWindow + reportBytes / 4 + 200;
const mostHistoryBytes = 5 * 1024 * 1024;
const leastCompression = 5;

/** Runs a thousand turns in a context window that holds about a dozen, and measures what handoffs preserve and cost. */
export async function run(print: (line: string) => void): Promise<boolean> {
  const environment = await startEnvironment(require.resolve('./models/handoff'));
  try {
    const meter = new OccupancyMeter();
    const reports: number[] = [];
    environment.run(
      await batonWorker({ ...environment, model: meter.watching(environment.model) }, [reportTool(reports)]),
    );
    let snapshot: StatusSnapshot | undefined;
    const took = await seconds(async () => (snapshot = await work(environment)));
    if (snapshot === undefined) throw new TypeError('The run has no snapshot');
    const sizes = await historySizes(environment.client, runWorkflowId(snapshot.runId));
    const lost = turnsOfWork - new Set(reports).size + meter.missingDecisions();
    print(
      `${turnsOfWork} turns in a context window of ${contextWindow} tokens: ${took.toFixed(1)} s, ${snapshot.turn} model calls`,
    );
    return judge(print, snapshot, { most: meter.most, mostAtAll: meter.mostAtAll, sizes, lost });
  } finally {
    await environment.close();
  }
}

interface Measured {
  readonly most: number;
  readonly mostAtAll: number;
  readonly sizes: readonly number[];
  readonly lost: number;
}

function judge(
  print: (line: string) => void,
  { handoffs }: StatusSnapshot,
  { most, mostAtAll, sizes, lost }: Measured,
): boolean {
  const ratios = handoffs.map(compression);
  const all = sizes.reduce((sum, bytes) => sum + bytes, 0);
  print(`handoffs: ${handoffs.length}; turns or decisions lost: ${lost}`);
  print(`context usage: at most ${most} tokens (bound ${mostTokens}), ${mostAtAll} in the handoff call`);
  print(
    `compression: ${Math.min(...ratios).toFixed(1)} to ${Math.max(...ratios).toFixed(1)}, median ${median(ratios).toFixed(1)} (at least ${leastCompression})`,
  );
  print(
    `history: at most ${Math.max(...sizes)} bytes per execution (bound ${mostHistoryBytes}), ${Math.round(all / turnsOfWork)} per turn overall`,
  );
  const holds =
    lost === 0 &&
    sizes.length === handoffs.length + 1 &&
    most <= mostTokens &&
    mostAtAll < contextWindow &&
    Math.min(...ratios) >= leastCompression &&
    Math.max(...sizes) < mostHistoryBytes;
  print(holds ? 'ok' : 'BOUND EXCEEDED');
  return holds;
}

/** Observes every model call and its reply. */
class OccupancyMeter {
  most = 0;
  mostAtAll = 0;
  private lastMessage = '';

  watching(model: ModelPort): ModelPort {
    return {
      ...model,
      reply: async (request, signal) => {
        const answer = await model.reply(request, signal);
        const tokens = totalTokens(answer.usage);
        this.mostAtAll = Math.max(this.mostAtAll, tokens);
        if (request.toolChoice === undefined) this.most = Math.max(this.most, tokens);
        if (request.messages.length === 1) this.lastMessage = JSON.stringify(request.messages);
        return answer;
      },
    };
  }

  /** Counts the decisions that are missing from the last handoff, among those recorded well before it. */
  missingDecisions(): number {
    let missing = 0;
    for (let turn = 0; turn < turnsOfWork - turnsPerDecision; turn += turnsPerDecision) {
      if (!this.lastMessage.includes(decision(turn))) missing += 1;
    }
    return missing;
  }
}

function reportTool(reports: number[]): ReturnType<typeof defineTool> {
  return defineTool({
    name: 'read_report',
    id: 'bench/read_report@1',
    description: 'Returns a report.',
    parameters: z.strictObject({ turn: z.int() }),
    success: 'A text.',
    cost: 'None.',
    safeToRepeat: true,
    run({ turn }) {
      reports.push(turn);
      return Promise.resolve({ message: report(turn) });
    },
  });
}

async function work(environment: BenchEnvironment): Promise<StatusSnapshot> {
  const { workflowId } = await playRun(environment, {
    runId: newRunId(),
    goal: 'Read all the reports.',
    model: { name: 'claude-sonnet-5-5', maxTokens: 1_500, window: contextWindow },
    limits: { ...defaultLimits, maxTurns: 2 * turnsOfWork },
    handoff: { at, max: turnsOfWork },
  });
  return environment.client.workflow.getHandle(workflowId).query(snapshotQuery);
}

async function historySizes(client: Client, workflowId: string): Promise<number[]> {
  const sizes: number[] = [];
  for await (const { runId } of client.workflow.list({ query: `WorkflowId = '${workflowId}'` })) {
    sizes.push((await client.workflow.getHandle(workflowId, runId).describe()).historySize ?? 0);
  }
  return sizes;
}
