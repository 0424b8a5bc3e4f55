import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import {
  goalOf,
  parseRunInput,
  type RootMemo,
  rootMemo,
  rootTitle,
  type RunInput,
  type RunRequest,
  runWorkflowContract,
} from '../../domain/agent';
import { runWorkflowId } from '../../domain/kernel';
import { parseRelayInput, type RelayInput, relayWorkflowContract } from '../../domain/relay';
import { requireSoundControls } from '../../domain/prompt';
import { requireSoundRules } from '../../domain/tool/approval';
import { describeStep } from '../../domain/relay/prepare';
import { rootPriority } from '../../temporal-config/priority';
import { headline } from '../format';

/**
 * Starts a run, or attaches to the run that already has this id. Returns without waiting for the run to end.
 *
 * The input has no defaults; `Baton.startRun` adds them. Throws an `InvalidInputError` before anything is started if the
 * input is invalid.
 *
 * @example
 * const { runId, isNew } = await startRun(client, 'baton', {
 *   runId: 'licenses-7',
 *   goal: 'List the licenses of all dependencies.',
 *   model: resolveModel({}),
 *   limits: defaultLimits,
 * });
 */
export async function startRun(client: Client, taskQueue: string, input: RunInput): Promise<StartedRun> {
  return startRoot(client, taskQueue, checkRunInput(input));
}

/** Checks the input of a run before a connection is needed. Throws an `InvalidInputError`. */
export function checkRunInput(unchecked: RunInput): Root {
  const input = parseRunInput(unchecked);
  requireSoundControls(input.delegation);
  requireSoundRules(input.approve);
  const { model, limits } = input;
  const memo = rootMemo(input);
  return {
    type: runWorkflowContract.name,
    input,
    details: [
      ...(memo.prompt === undefined ? [] : [`- prompt: \`${memo.prompt}\``]),
      ...(memo.skill === undefined ? [] : [`- skill: \`${memo.skill}\``]),
      `- model: \`${model.name}\``,
      `- turns: at most ${limits.maxTurns}`,
    ],
    memo,
  };
}

/** A run that was started or attached to. */
export interface StartedRun {
  readonly runId: string;
  readonly workflowId: string;
  /** False when a run with this id already existed; nothing was started then. */
  readonly isNew: boolean;
}

/** A root execution that is ready to start: its checked input, and its description in the Web UI. */
export interface Root {
  /** Workflow type. */
  readonly type: string;
  readonly input: RunRequest & Pick<RunInput, 'runId'>;
  /** Markdown lines for the workflow's page in the Web UI. */
  readonly details: readonly string[];
  readonly memo: RootMemo;
}

/** Starts the root execution of a run, or attaches to the run that already has this id. */
export async function startRoot(
  client: Client,
  taskQueue: string,
  { type, input, details, memo }: Root,
): Promise<StartedRun> {
  const { runId, workspace, tenant = runId } = input;
  const workflowId = runWorkflowId(runId);
  try {
    await client.workflow.start(type, {
      workflowId,
      taskQueue,
      args: [input],
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      workflowIdConflictPolicy: 'FAIL',
      staticSummary: headline(rootTitle(memo), 100),
      staticDetails: [
        goalOf(input),
        '',
        ...details,
        `- workspace: ${workspace === undefined ? 'none' : `\`${workspace.root}\``}`,
      ].join('\n'),
      memo: { ...memo },
      priority: rootPriority(tenant),
    });
    return { runId, workflowId, isNew: true };
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    return { runId, workflowId, isNew: false };
  }
}

/**
 * Starts a relay, or attaches to the run that already has this id. Returns without waiting for the relay to end.
 *
 * The input has no defaults; `Baton.startRelay` adds them. Throws an `InvalidInputError` before anything is started if
 * the input is invalid.
 *
 * @example
 * const parsed = parseRelay({
 *   name: 'planned',
 *   description: 'Makes a plan.',
 *   steps: [{ name: 'plan', skill: 'planner', input: { goal: { from: 'goal' } }, artifacts: ['PLAN.md'] }],
 * });
 * if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join('\n'));
 * const { runId, isNew } = await startRelay(client, 'baton', {
 *   runId: newRunId(),
 *   goal: 'Add OAuth.',
 *   model: resolveModel({}),
 *   limits: defaultLimits,
 *   relay: parsed.relay,
 * });
 */
export async function startRelay(client: Client, taskQueue: string, input: RelayInput): Promise<StartedRun> {
  return startRoot(client, taskQueue, checkRelayInput(input));
}

/** Checks the input of a relay before a connection is needed. Throws an `InvalidInputError`. */
export function checkRelayInput(unchecked: RelayInput): Root {
  const input = parseRelayInput(unchecked);
  requireSoundControls(input.delegation);
  requireSoundRules(input.approve);
  requireSoundControls(input.relay.delegation);
  const { relay, model } = input;
  return {
    type: relayWorkflowContract.name,
    input,
    details: [
      `- relay: \`${relay.name}\``,
      ...relay.steps.map((step) => `  - ${describeStep(step)}`),
      `- model: \`${model.name}\``,
    ],
    memo: rootMemo(input, relay.name),
  };
}
