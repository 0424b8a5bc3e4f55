import { makeContinueAsNewFunc, proxyActivities, upsertMemo, type Workflow, workflowInfo } from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import {
  type AgentProgress,
  type AgentSettings,
  assumedSettings,
  initialProgress,
  type OpenedRoot,
  type OpenRunInput,
  readRootMemo,
  type RootMemo,
  rootMemo,
  type RunResult,
  type RunStart,
  startMemo,
} from '../../domain/agent';
import { figuresOf, isUnlimited, totalSpent } from '../../domain/budget';
import { emptySession, type SessionSchema } from '../../domain/session';
import type { SpilledText } from '../../domain/store';
import type { WorkspaceState } from '../../domain/workspace';
import { mountOptions, shortActivityOptions } from '../../temporal-config/activity-options';
import { earlierOf, secondsFromNow } from '../clock';
import { rootRunId } from '../workflow-id';
import { mountRunFolder } from '../workspace/mount-and-fold';
import { activityOptions, type Agent } from './agent';
import { type AgentPlace, beginAgent } from './agent-lifecycle';
import { runAgent } from './agent-loop';

/** Signature of `runWorkflow`. */
export type RunWorkflow = (start: RunStart) => Promise<RunResult>;

/** Runs the root agent of a run, which works towards one goal until the model answers. */
export async function runRootAgent(schema: SessionSchema, { resume, ...sent }: RunStart): Promise<RunResult> {
  const input = { ...sent, runId: rootRunId(sent.runId) };
  let settings = assumedSettings(input);
  const life = beginAgent(schema, { ...settings, ...rootPlace }, resume);
  const end = await life.until(async () => {
    if (life.resumed !== undefined) return runAgent(life.resumed);
    const root = await (input.continues === undefined ? openRoot(schema, input) : continueOther(input));
    settings = root.settings;
    const agent = life.open(root.progress, settings);
    return life.within(root.ownDeadline, () => runAgent(agent));
  });
  if (end.kind === 'continuesAsNew') {
    return continueRoot<RunWorkflow>({ ...input, ...settings, resume: life.carryOver() });
  }
  const result = runResult(life.agent, end.text, end.kind === 'answered' ? end.value : undefined);
  return end.kind === 'skipped' ? { ...result, skippedBy: end.by } : result;
}

/** A root that is ready to work, and the settings in force. */
export interface ReadyRoot {
  readonly progress: AgentProgress;
  readonly settings: AgentSettings;
  /** The deadline of the root's skill, if it is earlier than that of the run. */
  readonly ownDeadline: string | undefined;
}

async function openRoot(schema: SessionSchema, input: OpenRunInput): Promise<ReadyRoot> {
  // A skill injects files into its prompt, so they are imported before it is composed.
  const mounted = input.skill === undefined ? null : await mountForSkill(input);
  const { openRun } = proxyActivities<AgentActivities>(
    activityOptions(shortActivityOptions, input, 'compose the prompt'),
  );
  const opened = await openRun(mounted === null ? input : { ...input, tree: mounted.root });
  return readyRoot(schema, input, opened, { memo: rootMemo(input), mounted });
}

/** Opens the root as another run had it before one of its turns. */
async function continueOther(input: OpenRunInput): Promise<ReadyRoot> {
  const { continueRun } = proxyActivities<AgentActivities>(
    activityOptions(mountOptions, input, `continue from ${input.continues?.runId ?? ''}`),
  );
  const { progress, settings } = await continueRun(input);
  describeRoot(rootMemo(input));
  return { progress, settings, ownDeadline: undefined };
}

/** Imports the run's folder for its skill; null when the run has none. The skill is checked before. */
async function mountForSkill(input: OpenRunInput): Promise<WorkspaceState | null> {
  if (input.workspace === undefined) return null;
  const { checkRun } = proxyActivities<AgentActivities>(
    activityOptions(shortActivityOptions, input, 'check the input'),
  );
  const { storeId } = await checkRun(input);
  return mountRunFolder(input, input.workspace.root, storeId);
}

/** Builds the result of a run from its root's progress. */
export function runResult({ progress }: Agent, answer: SpilledText, value?: SpilledText): RunResult {
  const { calls, ledger, head, fallbacks, continues } = progress;
  const all = figuresOf(totalSpent(ledger));
  return {
    answer,
    ...(value === undefined ? {} : { value }),
    turns: continues === undefined ? calls : calls - continues.turn + 1,
    usage: ledger.own.usage,
    delegatedUsage: ledger.delegated.usage,
    microUsd: all.microUsd,
    own: figuresOf(ledger.own),
    withDelegations: all,
    ...(isUnlimited(ledger.allowance) ? {} : { budget: ledger.allowance }),
    transcript: head,
    ...(fallbacks === undefined ? {} : { fallbacks }),
  };
}

/** Place of every root: it has no parent. */
export const rootPlace: AgentPlace = { delegationId: null, depth: 0, sharedSession: null, paused: false };

/** The input of a run or a relay, which may lack what has a default. */
type RootInput = Parameters<typeof assumedSettings>[0] & Pick<OpenRunInput, 'workspace'>;

/**
 * Makes an opened root ready: an empty session, and the run's folder as its workspace, unless it is mounted already. What
 * the input lacked is in the result of the activity that opened it.
 */
export async function readyRoot(
  schema: SessionSchema,
  input: RootInput,
  { settings: given, deadlineSeconds, ...opened }: OpenedRoot,
  { memo, mounted = null }: { readonly memo: RootMemo; readonly mounted?: WorkspaceState | null },
): Promise<ReadyRoot> {
  const settings = given ?? assumedSettings(input);
  if (given !== undefined) describeRoot(memo);
  const own = deadlineSeconds === undefined ? undefined : secondsFromNow(deadlineSeconds);
  const deadline = earlierOf(settings.deadline, own);
  const workspace = mounted ?? (await mountRunFolder(input, input.workspace?.root, opened.storeId));
  return {
    progress: initialProgress(opened, emptySession(schema), workspace, settings.budget),
    settings: { ...settings, ...(deadline === undefined ? {} : { deadline }) },
    ownDeadline: deadline === settings.deadline ? undefined : deadline,
  };
}

/** Describes a root in lists, if the client that started it has not. */
function describeRoot(memo: RootMemo): void {
  if (readRootMemo(workflowInfo().memo).goal === undefined) upsertMemo({ ...memo });
}

/**
 * Continues an agent as new with its memo, to which the start of its first execution is added. Of the memo of a root, the
 * server would only keep what the client that started it wrote there.
 */
export function continueAgent<Each extends Workflow>(...start: Parameters<Each>): Promise<never> {
  return makeContinueAsNewFunc<Each>({ memo: carriedMemo() })(...start);
}

/**
 * Continues a root like any agent, but with the current version of its worker deployment. Agents are pinned to a version,
 * and a root has no open children here. A delegation stays with its parent, which waits for it on the old version anyway.
 */
export function continueRoot<Each extends Workflow>(...start: Parameters<Each>): Promise<never> {
  return makeContinueAsNewFunc<Each>({ memo: carriedMemo(), initialVersioningBehavior: 'AUTO_UPGRADE' })(...start);
}

function carriedMemo(): Record<string, unknown> {
  const { memo = {}, startTime } = workflowInfo();
  return { ...memo, ...startMemo(memo, startTime.toISOString()) };
}
