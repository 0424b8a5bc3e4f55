import { planTurn, type ReasonOutside, type RunTurnInput, type TurnPlan } from '../../../domain/agent';
import type { StopReason } from '../../../domain/model';
import { inlineResultBytes } from '../../../domain/store';
import { callKey, type ToolCall, type ToolDescription } from '../../../domain/tool';
import { treeMediaType } from '../../../domain/workspace';
import { measurePayload } from '../../../store/blobs';
import { Attempt, callingAgent } from '../../attempt';
import { runStoreFor, type SharedDependencies } from '../../dependencies';
import type { Tool } from '../../tool/define-tool';
import { type CallEnvironment, runToolCall, toToolResult } from '../../tool/tool-call';
import { openWorkspace } from '../../workspace/stored-workspace';
import type { InsideCall, TurnJournal, TurnRecord } from '../../../store/turn-journal';
import type { TurnSteps } from './turn-steps';

/** A call of a reply. `input` is stored only if the workflow runs the call. */
export interface RequestedCall extends ToolCall {
  /** JSON of the parameters. */
  readonly text: string;
}

/** A reply whose calls may be run. */
export interface RepliedTurn {
  readonly stopReason: StopReason;
  readonly toolCalls: readonly RequestedCall[];
  /** The agent's tools, as they were pinned. */
  readonly tools: readonly ToolDescription[];
  readonly journal: TurnJournal;
  /** Whether an earlier attempt got this reply. It may have run calls. */
  readonly isRepeated: boolean;
}

/** Maximum time of all calls of a turn together. A call that takes longer gets an activity of its own. */
const maxInsideMs = 60_000;
/** A call that took this long is recorded by itself, so that it does not run again if the worker dies before the rest. */
const longCallMs = 1_000;
/** Maximum bytes of the changes and events of all calls, which the workflow has to learn. */
const maxRanBytes = 20 * 1024;
/** Number of attempts that died after which nothing runs inside, because one of the calls may kill its worker. */
const maxDied = 2;

/**
 * Runs the calls of a reply that may run inside its turn, side by side over the same files and session, and records
 * their results. Throws only when nothing is running any more.
 */
export async function runInside(
  dependencies: SharedDependencies,
  input: RunTurnInput,
  turn: RepliedTurn,
  { signal, steps }: { readonly signal: AbortSignal; readonly steps: TurnSteps },
): Promise<TurnRecord> {
  // What an earlier attempt recorded counts, whatever this worker could run.
  const mayHaveRun = turn.isRepeated && turn.toolCalls.length > 0 && input.inside !== undefined;
  const known = mayHaveRun ? await turn.journal.find() : undefined;
  if (known !== undefined) return known;
  const plan = planFor(dependencies, input, turn);
  if (!plan.includes(undefined)) {
    const record = recordOf(plan, []);
    return plan.some(isPassing) ? turn.journal.keep(record) : record;
  }
  const environment = environmentFor(dependencies, input);
  const late = new AbortController();
  const timer = setTimeout(() => {
    late.abort();
  }, maxInsideMs);
  const running = plan.map(async (reason, index) => {
    if (reason !== undefined) return reason;
    const call = { input, turn, index, environment };
    return steps.whileRunning(turn.toolCalls[index]?.name, () =>
      runOne(dependencies, call, { signal, late: late.signal }),
    );
  });
  await Promise.allSettled(running);
  clearTimeout(timer);
  return turn.journal.keep(recordOf(plan, await Promise.all(running)));
}

/** Whether another attempt might decide otherwise. A turn that is repeated after a reset must not. */
function isPassing(reason: ReasonOutside | undefined): boolean {
  return reason === 'worker' || reason === 'died';
}

function planFor({ tools }: SharedDependencies, { inside }: RunTurnInput, turn: RepliedTurn): TurnPlan {
  if (inside === undefined) return turn.toolCalls.map(() => 'except');
  return planTurn(turn, turn.tools, {
    except: inside.except ?? [],
    isOnWorker: ({ name }) => tools.some(({ description }) => description.name === name),
    hasDied: turn.isRepeated && Attempt.current().died >= maxDied,
  });
}

function environmentFor(
  { store, uncachedStore, treeCache }: SharedDependencies,
  { inside = {}, ...input }: RunTurnInput,
): CallEnvironment {
  const { workspace, slices = {}, maxResultBytes, unseen = [] } = inside;
  const files = workspace && {
    root: { ...workspace.root, mediaType: treeMediaType },
    changes: workspace.changes ?? [],
  };
  return {
    store: runStoreFor(store, input),
    workspace: files && openWorkspace(runStoreFor(uncachedStore, input), files, treeCache),
    slices,
    agent: callingAgent(),
    maxResultBytes,
    unseen,
    // The record of the turn is not part of history.
    inlineBytes: inlineResultBytes,
  };
}

/** One call of a turn. */
interface PlacedCall {
  readonly input: RunTurnInput;
  readonly turn: RepliedTurn;
  readonly index: number;
  readonly environment: CallEnvironment;
}

/** When a call has to stop: `signal` if the whole turn does, `late` if it takes too long for its turn. */
interface StopSignals {
  readonly signal: AbortSignal;
  readonly late: AbortSignal;
}

async function runOne(
  { tools }: SharedDependencies,
  { input, turn, index, environment }: PlacedCall,
  { signal, late }: StopSignals,
): Promise<InsideCall | ReasonOutside> {
  const { toolCalls, journal, isRepeated } = turn;
  const call = toolCalls[index];
  const tool = tools.find(({ description }) => description.name === call?.name);
  if (call === undefined || tool === undefined) return 'worker';
  const recorded = isRepeated ? await journal.findCall(index) : undefined;
  if (recorded !== undefined) return recorded;
  const runnable = { id: call.id, input: call.text, key: callKey(input.identity, index, call) };
  const started = performance.now();
  const stop = AbortSignal.any([signal, late]);
  const returned = await unlessLate(late, runToolCall(tool, runnable, environment, stop));
  if (returned === undefined) return 'slow';
  const result = await toToolResult(environment, tool, runnable, returned);
  const ms = Math.round(performance.now() - started);
  const ended = { index, tool: call.name, result, ms };
  return ms < longCallMs ? ended : journal.keepCall(ended);
}

/** Waits for a tool; undefined when its time is up. A tool that ignores its signal is not waited for. */
function unlessLate(late: AbortSignal, running: ReturnType<Tool['run']>): Promise<Awaited<typeof running> | undefined> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      resolve(undefined);
    };
    late.addEventListener('abort', giveUp, { once: true });
    void running.then(resolve, reject).finally(() => {
      late.removeEventListener('abort', giveUp);
    });
  });
}

/** Builds the record of a turn. What the workflow could not be sent is left to it. */
function recordOf(plan: TurnPlan, ended: readonly (InsideCall | ReasonOutside)[]): TurnRecord {
  let room = maxRanBytes;
  const ran: InsideCall[] = [];
  const left: { index: number; why: ReasonOutside }[] = [];
  plan.forEach((reason, index) => {
    const end = reason ?? ended[index] ?? 'worker';
    if (typeof end === 'string') return left.push({ index, why: end });
    const bytes = measurePayload([end.result.changes, end.result.events, end.result.seen]);
    if (bytes > room) return left.push({ index, why: 'size' });
    room -= bytes;
    return ran.push(end);
  });
  return { ran, left };
}
