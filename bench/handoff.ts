import type { Client } from '@temporalio/client';
import { z } from 'zod';
import type { ModelPort } from '../activities/dependencies';
import { defineTool, type Tool } from '../activities/tool/define-tool';
import { defaultLimits, type StatusSnapshot } from '../domain/agent';
import { totalTokens } from '../domain/model';
import { snapshotQuery } from '../workflows/messages';
import type { BenchContext, Benchmark, Row } from './runner/benchmark';
import { measured } from './runner/rows';
import { compression } from './support/compression';
import type { BenchEnvironment } from './support/environment';
import { newRunId, playRun } from './support/runs';
import { batonWorker } from './support/workers';
import { decision, handoffGoal, noise, turnsPerDecision } from './workloads';

const name = 'handoff';
const at = 0.6;
/** Context window of the model, in tokens. */
const window = 20_000;
const reportBytes = 3_000;
/** Largest allowed context usage. A turn adds its result, its call and their overhead. */
const mostTokens = at * window + reportBytes / 4 + 200;
const mostHistoryBytes = 5 * 1024 * 1024;
const leastCompression = 5;

/** A thousand turns in a context window that holds about a dozen: what handoffs preserve and cost. */
export const handoff: Benchmark = {
  names: [name],
  about: 'Context and history of 1,000 turns in a context window of 20,000 tokens. Takes some minutes.',
  onlyByName: true,
  async run(context) {
    const environment = await context.environment('handoff');
    const meter = new OccupancyMeter();
    const read = new Set<number>();
    environment.run(
      await batonWorker(environment, { tools: [reportTool(read)], watched: meter.watching(environment.model) }),
    );
    const turns = context.quick ? 16 : 1_000;
    const workflowId = await play(environment, turns);
    const lost = turns - read.size + meter.missingDecisions(turns);
    if (lost > 0) throw new Error(`${lost} turns or decisions were lost`);
    const { handoffs } = await environment.client.workflow.getHandle(workflowId).query(snapshotQuery);
    return rowsOf(context, meter, handoffs, await historySizes(environment.client, workflowId));
  },
};

function rowsOf(
  { log, quick }: BenchContext,
  meter: OccupancyMeter,
  handoffs: StatusSnapshot['handoffs'],
  sizes: readonly number[],
): Row[] {
  log(`${handoffs.length} handoffs, ${meter.mostAtAll} tokens in the largest call for a handoff`);
  if (meter.mostAtAll >= window) throw new Error(`A request of ${meter.mostAtAll} tokens exceeds the context window`);
  if (!quick && sizes.length !== handoffs.length + 1) throw new Error(`${sizes.length} executions`);
  const less = { wants: 'less', bound: { of: 'value', is: mostTokens } } as const;
  return [
    measured({ ...less, name: `${name}.tokens`, unit: 'tokens at most' }, [meter.most]),
    measured(
      {
        name: `${name}.compression`,
        unit: 'times at least',
        wants: 'more',
        bound: { of: 'value', is: leastCompression },
      },
      [Math.min(...handoffs.map(compression))],
    ),
    measured(
      { ...less, name: `${name}.history`, unit: 'bytes at most', bound: { of: 'value', is: mostHistoryBytes } },
      [Math.max(...sizes)],
    ),
  ];
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
  missingDecisions(turns: number): number {
    let missing = 0;
    for (let turn = 0; turn < turns - turnsPerDecision; turn += turnsPerDecision) {
      if (!this.lastMessage.includes(decision(turn))) missing += 1;
    }
    return missing;
  }
}

function reportTool(read: Set<number>): Tool {
  return defineTool({
    name: 'read_report',
    id: 'bench/read_report@1',
    description: 'Returns a report.',
    parameters: z.strictObject({ turn: z.int() }),
    success: 'A text.',
    cost: 'None.',
    safeToRepeat: true,
    run({ turn }) {
      read.add(turn);
      return Promise.resolve({ message: noise(turn, reportBytes) });
    },
  });
}

async function play(environment: BenchEnvironment, turns: number): Promise<string> {
  const { workflowId } = await playRun(environment, {
    runId: newRunId(),
    goal: handoffGoal(turns),
    model: { name: 'claude-sonnet-5-5', maxTokens: 1_500, window },
    limits: { ...defaultLimits, maxTurns: 2 * turns },
    handoff: { at, max: turns },
  });
  return workflowId;
}

async function historySizes(client: Client, workflowId: string): Promise<number[]> {
  const sizes: number[] = [];
  for await (const { runId } of client.workflow.list({ query: `WorkflowId = '${workflowId}'` })) {
    sizes.push((await client.workflow.getHandle(workflowId, runId).describe()).historySize ?? 0);
  }
  return sizes;
}
