import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
import { defaultLimits, rootMemo, type RunInput, type RunRequest, runWorkflowContract } from '../../domain/agent';
import { InvalidInputError, runWorkflowId } from '../../domain/kernel';
import { anotherModel, type ModelPreferences, type ModelSettings, resolveModel } from '../../domain/model';
import { relayWorkflowContract } from '../../domain/relay';
import type { Store } from '../../domain/store';
import { readStoredRoot } from '../../store/run-record';
import { beforeTurnQuery } from '../../workflows/messages';
import { BatonError, missingRun } from '../client-errors';
import { firstStart } from './run-times';
import { type StartedRun, startRoot } from './start';

/** Options of `rerun`. All are optional. */
export interface RerunOptions {
  /**
   * Turn that the model is asked for first; everything before it is taken over and not paid for again. `last` is the turn
   * that a failed run could not finish, or the last one of a run that has an answer. Default: the run begins anew.
   */
  readonly fromTurn?: number | 'last';
  /** Default: a new id made from the time. */
  readonly newId?: string;
  /** Changes of the model. Default: the same model. */
  readonly model?: ModelPreferences;
  /**
   * Maximum turns of an agent, those that are taken over included. Default: as before; if those that are taken over have
   * used them up, as many again.
   */
  readonly maxTurns?: number;
  /** Store of the run's workers, for a run that the server no longer has. Default: such a run can't be started again. */
  readonly store?: Store;
}

/**
 * Starts a run or a relay again: with the same input, or from one of its turns onwards. Nothing that an operator decided or
 * changed in it applies to the new run. Throws a `BatonError` if the run does not exist, and an `InvalidInputError` if it
 * has no such turn.
 *
 * @example
 * // A run that used up its turns continues where it stopped.
 * const { runId } = await rerun(client, 'baton', 'licenses-7', { newId: 'licenses-8', fromTurn: 'last', maxTurns: 200 });
 */
export async function rerun(
  client: Client,
  /** Task queue of the workers, in case the server no longer has the run. Otherwise the new run is on the queue of the first. */
  taskQueue: string,
  runId: string,
  options: RerunOptions & { readonly newId: string },
): Promise<StartedRun> {
  const original = await findOriginal(client, runId, options.store);
  const { fromTurn, newId } = options;
  const turn = fromTurn === undefined ? undefined : await turnOf(client, original, fromTurn);
  const input: RunRequest & Pick<RunInput, 'runId'> = {
    ...withChanges(original, options, turn),
    runId: newId,
    ...(turn === undefined ? {} : { continues: { runId, turn } }),
  };
  return startRoot(client, original.taskQueue ?? taskQueue, {
    type: original.isRelay ? relayWorkflowContract.name : runWorkflowContract.name,
    input,
    details: [`- again: \`${runId}\`${turn === undefined ? '' : `, from turn ${turn}`}`],
    memo: rootMemo(input, original.relay),
  });
}

interface Original {
  readonly runId: string;
  readonly input: RunRequest;
  /** Undefined if the server no longer has it. */
  readonly taskQueue: string | undefined;
  readonly isRelay: boolean;
  /** Name of the relay. */
  readonly relay: string | undefined;
  /** When it was started, in milliseconds since 1970. */
  readonly startedAt: number;
}

/** Finds what a run was started with: in its history, or in the store if the server no longer has it. */
async function findOriginal(client: Client, runId: string, store: Store | undefined): Promise<Original> {
  try {
    const workflowId = runWorkflowId(runId);
    const described = await client.workflow.getHandle(workflowId).describe();
    return await fromHistory(client, runId, described);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    return fromStore(store, runId);
  }
}

async function fromHistory(client: Client, runId: string, described: WorkflowExecutionDescription): Promise<Original> {
  const { workflowId, type, taskQueue } = described;
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: { workflowId },
    maximumPageSize: 1,
  });
  const started = history?.events?.[0]?.workflowExecutionStartedEventAttributes;
  const [sent] = await decodeArrayFromPayloads(client.options.loadedDataConverter, started?.input?.payloads ?? []);
  return {
    ...partsOf(runId, sent),
    taskQueue,
    isRelay: type === relayWorkflowContract.name,
    startedAt: await firstStart(client, described),
  };
}

async function fromStore(store: Store | undefined, runId: string): Promise<Original> {
  const root = store === undefined ? undefined : (await readStoredRoot(store.forRun(runId)))?.root;
  if (root?.input === undefined) throw missingRun(runId);
  return {
    ...partsOf(runId, root.input),
    taskQueue: undefined,
    isRelay: root.relay !== null,
    startedAt: Date.parse(root.at),
  };
}

/** The input without what an execution passes to the next one. Whoever receives it checks it. */
function partsOf(runId: string, sent: unknown): Pick<Original, 'runId' | 'input' | 'relay'> {
  const { resume: _resume, ...input } = sent as RunRequest & { readonly resume?: unknown };
  const { relay } = input as { readonly relay?: string | { readonly name: string } };
  return { runId, input, relay: typeof relay === 'string' ? relay : relay?.name };
}

/** Returns the number of the turn to continue from. */
async function turnOf(
  client: Client,
  { runId, isRelay, taskQueue }: Original,
  wanted: number | 'last',
): Promise<number> {
  if (isRelay)
    throw new BatonError(
      'Client.NotApplicable',
      `${runId} is a relay: its steps are agents of their own, so it has no turns to continue from.`,
      `Start it again from the beginning with: baton rerun ${runId}`,
    );
  if (taskQueue === undefined)
    throw new BatonError(
      'Client.NotApplicable',
      `The server no longer has run ${runId}, so what it was like before a turn is not known.`,
      `Start it again from the beginning with: baton rerun ${runId}`,
    );
  const { first, last } = await client.workflow.getHandle(runWorkflowId(runId)).query(beforeTurnQuery);
  if (last === null)
    throw new BatonError(
      'Client.NotApplicable',
      `Run ${runId} has not begun its first turn, so there is nothing to continue from.`,
      `Start it again from the beginning with: baton rerun ${runId}`,
    );
  const turn = wanted === 'last' ? last : wanted;
  if (turn >= first && turn <= last) return turn;
  throw new InvalidInputError(
    'fromTurn',
    `run ${runId} has no turn ${turn} to continue from`,
    first === last ? `It can be continued from turn ${first}.` : `It can be continued from turns ${first} to ${last}.`,
  );
}

function withChanges(original: Original, options: RerunOptions, turn: number | undefined): RunRequest {
  const { input, startedAt } = original;
  const { model: _model, deadline, ...rest } = input;
  return {
    ...rest,
    ...modelOf(original, options, turn),
    ...limitsOf(original, options, turn),
    // As much time as before.
    ...(deadline === undefined
      ? {}
      : { deadline: new Date(Date.now() + Date.parse(deadline) - startedAt).toISOString() }),
  };
}

/** A run that continues has the model that the turn had, unless another one is wanted. */
function modelOf(
  { input: { model, models } }: Original,
  { model: wanted }: RerunOptions,
  turn: number | undefined,
): Pick<RunRequest, 'model'> {
  if (wanted === undefined) return turn === undefined && model !== undefined ? { model } : {};
  return { model: isComplete(model) ? anotherModel(model, wanted, models) : resolveModel(wanted, models) };
}

function isComplete(model: RunRequest['model']): model is ModelSettings {
  return model?.name !== undefined && model.maxTokens !== undefined && model.window !== undefined;
}

function limitsOf({ input: { limits } }: Original, { maxTurns }: RerunOptions, turn = 1): Pick<RunRequest, 'limits'> {
  const before = limits?.maxTurns ?? defaultLimits.maxTurns;
  const kept = turn - 1;
  if (maxTurns !== undefined && maxTurns <= kept)
    throw new InvalidInputError(
      'maxTurns',
      `${kept} turns are taken over, so ${maxTurns} would leave none`,
      `Allow at least ${kept + 1}.`,
    );
  const allowed = maxTurns ?? (kept < before ? before : kept + before);
  return allowed === before ? (limits === undefined ? {} : { limits }) : { limits: { ...limits, maxTurns: allowed } };
}
