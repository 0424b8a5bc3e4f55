import {
  type AgentState,
  type ContinuedRoot,
  continuedProgress,
  goalOf,
  isStored,
  type OpenRunInput,
  parseOpenRun,
  type RootRecord,
  toldNext,
} from '../../../domain/agent';
import { InvalidInputError } from '../../../domain/kernel';
import { BlobMissingError, type RunStore } from '../../../domain/store';
import type { ToolOutcome } from '../../../domain/tool';
import { copyContents } from '../../../store/copy-contents';
import { copyPromptRecords, findRootTools, putStoredRootTools } from '../../../store/prompts';
import { putRootRecord, readStoredRoot } from '../../../store/run-record';
import type { SharedDependencies } from '../../dependencies';
import { requireUsableModel } from '../../model/usable-model';
import { recordPlace } from '../pin-run';
import { settingsFor } from '../run-models';
import { judgedOutcomes } from '../turn/new-entries';
import { findTurnRecord } from '../../../store/turn-journal';
import { findState } from './find-state';

/**
 * Opens the root agent of a run as another run had it before one of its turns. Everything that it needs is copied, so that
 * the other run can be deleted. No model is asked, and no tool is run.
 */
export async function continueRun(dependencies: SharedDependencies, unchecked: OpenRunInput): Promise<ContinuedRoot> {
  const { continues, ...input } = parseOpenRun(unchecked);
  if (continues === undefined)
    throw new InvalidInputError('continues', 'it is missing', 'Name the run and the turn to continue from.');
  const { uncachedStore: store, searchAttributes } = dependencies;
  const from = store.forRun(continues.runId);
  const to = store.forRun(input.runId);
  const record = await requireRoot(from);
  const state = await requireState(dependencies, from, continues);
  const requested = { ...input, ...skillLimits(input, record, continues), model: input.model ?? state.model };
  const settings = settingsFor(dependencies, requested);
  for (const name of [settings.model.name, ...(settings.model.fallback ?? [])])
    await requireUsableModel(dependencies.model, name);
  const place = { storeId: store.id, searchAttributes };
  const outcomes = await withTexts(from, state);
  const progress = continuedProgress(state, { settings, place, outcomes, continues });
  const opened = { ...record.opened, ...place };
  await recordPlace(to, dependencies);
  await copyRun(from, to, { opened, progress });
  await putRootRecord(to, {
    ...recordOf(record, input),
    input: { ...input, continues },
    settings,
    opened,
    continues,
    at: new Date().toISOString(),
  });
  return { ...opened, progress, settings };
}

/**
 * The limits in force of a run with a skill, which may be lower than those that it was started with: its budget, its turns
 * unless others are wanted, and as much time as the skill allows, from now on.
 */
function skillLimits(
  { skill, limits, deadline }: Pick<OpenRunInput, 'skill' | 'limits' | 'deadline'>,
  { settings, deadlineSeconds, input }: RootRecord,
  { turn }: NonNullable<OpenRunInput['continues']>,
): Pick<OpenRunInput, 'budget' | 'limits' | 'deadline'> {
  if (skill === undefined) return {};
  const { budget } = settings;
  const { maxTurns } = settings.limits;
  const kept = turn - 1;
  const own = deadlineSeconds === undefined ? undefined : new Date(Date.now() + deadlineSeconds * 1_000).toISOString();
  const [earliest] = [deadline, own].filter((time) => time !== undefined).sort();
  return {
    ...(budget === undefined ? {} : { budget }),
    // If the turns that are taken over have used them up, as many again.
    ...(limits?.maxTurns === undefined || limits.maxTurns === maxTurnsOf(input)
      ? { limits: { ...limits, maxTurns: kept < maxTurns ? maxTurns : kept + maxTurns } }
      : {}),
    ...(earliest === undefined ? {} : { deadline: earliest }),
  };
}

/** The turns that a run was started with. */
function maxTurnsOf(input: object | undefined): number | undefined {
  return (input as Pick<OpenRunInput, 'limits'> | undefined)?.limits?.maxTurns;
}

type Taken = Pick<ContinuedRoot, 'progress'> & Pick<RootRecord, 'opened'>;

async function copyRun(from: RunStore, to: RunStore, { opened, progress }: Taken): Promise<void> {
  const tools = await findRootTools(from);
  if (tools !== undefined) await putStoredRootTools(to, tools);
  const prompts = await copyPromptRecords(from, to, opened.prompt);
  await copyContents(from, to, [opened, progress, tools, prompts]);
  await to.flush();
}

/** What is recorded about the input: the goal may be another one, everything else is as it was. */
function recordOf(
  { relay, prompt, workspace, deadlineSeconds }: RootRecord,
  input: OpenRunInput,
): Pick<RootRecord, 'goal' | 'relay' | 'prompt' | 'workspace' | 'deadlineSeconds'> {
  return {
    goal: goalOf(input),
    relay,
    ...(prompt === undefined ? {} : { prompt }),
    workspace,
    ...(deadlineSeconds === undefined ? {} : { deadlineSeconds }),
  };
}

async function requireRoot(from: RunStore): Promise<RootRecord> {
  const root = (await readStoredRoot(from))?.root;
  if (root === undefined)
    throw new InvalidInputError(
      'continues.runId',
      `this store has no data of a run "${from.runId}"`,
      'Check the id with: baton list --store',
    );
  if (root.relay === null) return root;
  throw new InvalidInputError(
    'continues.runId',
    `"${from.runId}" is a relay, whose steps are agents of their own`,
    'A relay can only be started again from the beginning.',
  );
}

async function requireState(
  dependencies: SharedDependencies,
  from: RunStore,
  continues: NonNullable<OpenRunInput['continues']>,
): Promise<AgentState> {
  const state = await findState(dependencies, continues);
  if (state !== undefined) return state;
  throw new InvalidInputError(
    'continues.runId',
    `the server no longer has run "${from.runId}"`,
    'Start it again from the beginning.',
  );
}

/** Returns the outcomes that the next turn sends, with the texts of those that are in the record of the turn before. */
async function withTexts(from: RunStore, { progress }: AgentState): Promise<readonly ToolOutcome[]> {
  const own = progress.outcomes.filter((outcome): outcome is ToolOutcome => !isStored(outcome));
  if (own.length === progress.outcomes.length) return own;
  const { head } = progress;
  const record = await findTurnRecord(from, head.hash);
  if (record === undefined) throw new BlobMissingError(from.runId, `turn/…/${head.hash}`, 'results of the last turn');
  return [...own, ...judgedOutcomes(record, toldNext(progress, [], []) ?? {})];
}
