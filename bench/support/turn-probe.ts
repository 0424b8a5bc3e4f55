import type { Client } from '@temporalio/client';
import { z } from 'zod';
import type { ModelPort } from '../../activities/dependencies';
import { defineTool, type Tool } from '../../activities/tool/define-tool';
import { noise } from '../workloads';
import { median } from './statistics';

/** Turns before and after a turn whose history is measured. */
const around = 5;
/** Turns before and after a turn whose time is measured. */
const aroundTime = 25;

interface HistorySize {
  readonly execution: string;
  readonly bytes: number;
}

/** What one run has shown of itself. */
export interface Observed {
  /** Requests to the model. */
  requests: number;
  /** When the tool of a turn ran, in milliseconds. */
  readonly times: Map<number, number>;
  /** Duration of the model call of a turn, in milliseconds. */
  readonly modelTimes: Map<number, number>;
  /** Size of the history when the tool of a turn ran. */
  readonly sizes: Map<number, HistorySize>;
}

/** A workflow whose history to measure around some of its turns. */
export interface Sized {
  readonly client: Client;
  readonly workflowId: string;
  readonly turns: readonly number[];
}

/**
 * Watches one run at a time from inside its tool and its model, which are the same for Baton and for hand-written
 * workflows.
 */
export class TurnProbe {
  private observed: Observed = nothingYet();
  private sized: Sized | undefined;

  /** Watches what runs from now on. Measures histories only where asked, because that takes a request to the server. */
  watch(sized?: Sized): Observed {
    this.sized = sized;
    this.observed = nothingYet();
    return this.observed;
  }

  /** Watches requests to a model. */
  watching(model: ModelPort): ModelPort {
    return {
      ...model,
      reply: async (request, signal) => {
        const { observed } = this;
        const start = performance.now();
        observed.requests += 1;
        const answer = await model.reply(request, signal);
        observed.modelTimes.set((request.messages.length - 1) / 2, performance.now() - start);
        return answer;
      },
    };
  }

  /** The tool that every turn calls, for Baton. */
  readonly tool: Tool = defineTool({
    name: 'make_noise',
    id: 'bench/make_noise@1',
    description: 'Returns a long text.',
    parameters: z.strictObject({ seed: z.int(), bytes: z.int() }),
    success: 'A text.',
    cost: 'None.',
    safeToRepeat: true,
    run: async (input) => ({ message: await this.runTool(input) }),
  });

  /** Like `tool`, for a hand-written workflow. */
  readonly runTool = async (input: object): Promise<string> => {
    const { seed, bytes } = input as { seed: number; bytes: number };
    const { times, sizes } = this.observed;
    times.set(seed, performance.now());
    const { client, workflowId, turns = [] } = this.sized ?? {};
    if (client && workflowId !== undefined && turns.some((wanted) => Math.abs(wanted - seed) <= around)) {
      const { runId, historySize } = await client.workflow.getHandle(workflowId).describe();
      sizes.set(seed, { execution: runId, bytes: historySize ?? 0 });
    }
    return noise(seed, bytes);
  };
}

function nothingYet(): Observed {
  return { requests: 0, times: new Map(), modelTimes: new Map(), sizes: new Map() };
}

/** Returns the mean time of the turns after `from` up to `to`, without that of the model, in milliseconds. */
export function engineTime({ times, modelTimes }: Observed, from: number, to: number): number {
  const all = (times.get(to) ?? Number.NaN) - (times.get(from) ?? Number.NaN);
  let model = 0;
  for (let turn = from + 1; turn <= to; turn += 1) model += modelTimes.get(turn) ?? Number.NaN;
  return (all - model) / (to - from);
}

/** Returns the median time of the turns around one, without that of the model, in milliseconds. */
export function engineTimeAt({ times, modelTimes }: Observed, turn: number): number {
  return median(
    range(turn, Math.min(aroundTime, turn - 1)).flatMap((at) => {
      const [before, after, model] = [times.get(at - 1), times.get(at), modelTimes.get(at)];
      return before === undefined || after === undefined || model === undefined ? [] : [after - before - model];
    }),
  );
}

/** Returns the median time of the model around a turn. Its requests grow with the conversation. */
export function modelTimeAt({ modelTimes }: Observed, turn: number): number {
  return median(range(turn, Math.min(aroundTime, turn - 1)).flatMap((at) => modelTimes.get(at) ?? []));
}

/**
 * Returns by how much a turn makes the history grow: the mean of the turns around it. Pairs of turns in different
 * executions are skipped, because their growth can't be measured.
 */
export function bytesAt({ sizes }: Observed, turn: number): number {
  const grown = range(turn, around).flatMap((at) => {
    const [before, after] = [sizes.get(at - 1), sizes.get(at)];
    return before && after && before.execution === after.execution ? [after.bytes - before.bytes] : [];
  });
  return Math.round(grown.reduce((sum, bytes) => sum + bytes, 0) / grown.length);
}

function range(around: number, by: number): number[] {
  return Array.from({ length: 2 * by + 1 }, (_, index) => around - by + index);
}
