import { CancellationScope, proxyActivities } from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import type { AgentSettings } from '../../domain/agent';
import { DomainError, type FailureType } from '../../domain/kernel';
import { type Amendment, type FoundRetry, isAboutAnswer } from '../../domain/operator';
import { shortActivityOptions } from '../../temporal-config/activity-options';
import { activityOptions, type Agent } from '../agent/agent';
import { failure, isCancelled, rootCause } from '../failures';
import { patches } from '../patches';
import { applyAmendment } from './effective-settings';

/** Thrown when no operator decided in time. The step stays failed, and no further incident is opened for it. */
class IncidentTimedOut extends DomainError {
  readonly type: FailureType;

  constructor(override readonly cause: unknown) {
    const { type = 'Agent.Failed', message } = rootCause(cause);
    super(message);
    this.type = type;
  }
}

/** Thrown when an operator skips a step and supplies a placeholder for its result. */
export class SkippedByOperator extends DomainError {
  readonly type = 'Agent.Failed';

  constructor(
    readonly placeholder: string,
    /** Name of the operator; empty when none was given. */
    readonly by: string,
  ) {
    super('An operator skipped the step.');
  }
}

/** A step that an operator can decide about when it fails. */
export interface OperatorStep {
  /** Short description, shown to the operator. */
  readonly name: string;
  /** Id of the delegation that the step runs; omitted for the agent's own work. */
  readonly delegation?: string;
  /** Failure type of errors without one. Default: `Agent.Failed`. */
  readonly type?: FailureType;
  /** Whether an operator decides about this error. Default: about every error. */
  readonly when?: (error: unknown) => boolean;
}

/**
 * Runs a step. If it fails and the agent's policy is `hold`, opens an incident and waits for an operator's decision.
 * Otherwise the agent ends, unless an operator had exactly this failure retried after it had ended. A retry repeats this
 * step alone; everything before it stays done.
 */
export function withOperatorRetry<T>(agent: Agent, step: OperatorStep, attempt: () => Promise<T>): Promise<T> {
  if (agent.settings.onFailure === 'hold') return untilDone(agent, step, attempt);
  return attempt().catch(async (error: unknown) => {
    if (!isForOperator(step, error) || !(await isRetried(agent))) throw error;
    countTry(agent, rootCause(error).type);
    // Another failure can be retried in the same way, but by another reset.
    return withOperatorRetry(agent, step, attempt);
  });
}

async function untilDone<T>(agent: Agent, step: OperatorStep, attempt: () => Promise<T>): Promise<T> {
  for (let number = 1; ; number++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isForOperator(step, error)) throw error;
      await waitForDecision(agent, step, number, error);
    }
  }
}

function isForOperator({ when }: OperatorStep, error: unknown): boolean {
  return canAskOperator(error) && when?.(error) !== false;
}

/**
 * Asks, before an agent ends with a failure, whether it was taken back to this point by an operator's retry. That is why a
 * reset to this question repeats the failed step: the answer is then another one.
 */
async function isRetried(agent: Agent): Promise<boolean> {
  const { retry, isHere } = await findRetry(agent.settings);
  if (retry === null || !isHere) return false;
  agent.inbox.acceptRetry(retry);
  return true;
}

/** Looks up the retry that this execution began with, if it did, and the state of a delegation that exists already. */
export function findRetry(settings: AgentSettings, delegation: string | null = null): Promise<FoundRetry> {
  const activities = proxyActivities<AgentActivities>(
    activityOptions(shortActivityOptions, settings, 'was it retried?'),
  );
  return activities.findRetry({ delegation });
}

/** Waits for an operator's decision. Returns if the step is to be retried, and throws otherwise. */
async function waitForDecision(agent: Agent, step: OperatorStep, attempt: number, error: unknown): Promise<void> {
  const { type, message } = rootCause(error);
  const { decision } = await agent.inbox.openIncident({
    kind: 'failure',
    type: type ?? step.type ?? 'Agent.Failed',
    message,
    attempt,
    step: step.name,
    delegation: step.delegation ?? null,
    tool: null,
  });
  // While somebody decided, others may have written to its shared session.
  if (agent.shared !== null) agent.shared.isBehind = true;
  switch (decision?.action) {
    case 'retry':
      await inTurn(agent, step);
      break;
    case 'amend':
      await applyOrAskAgain(agent, step, attempt, decision.amendment);
      await inTurn(agent, step);
      break;
    case 'skip':
      throw new SkippedByOperator(decision.placeholder, decision.by ?? '');
    case 'abort':
      if (await isRetried(agent)) break;
      throw failure('Agent.Aborted', `Aborted by an operator${attribution(decision)}. Original failure: ${message}`);
    default:
      if (await isRetried(agent)) break;
      throw new IncidentTimedOut(error);
  }
  countTry(agent, type);
}

/** A delegation that closed did not count as running while an operator decided: it waits for its turn like any other. */
async function inTurn({ semaphore }: Agent, { delegation }: OperatorStep): Promise<void> {
  if (delegation !== undefined && patches.queuesAgain()) await semaphore.readmit(delegation);
}

/** Raises the try if the answer of the model was the cause: the journal must not answer the retry. */
function countTry(agent: Agent, type: FailureType | undefined): void {
  if (isAboutAnswer(type)) agent.progress = { ...agent.progress, tries: agent.progress.tries + 1 };
}

/** Applies an amendment. If that fails, opens another incident before the step is retried. */
async function applyOrAskAgain(agent: Agent, step: OperatorStep, attempt: number, amendment: Amendment): Promise<void> {
  try {
    await applyAmendment(agent, amendment);
  } catch (error) {
    if (amendment.instructions !== undefined) agent.inbox.forgetInstructions(amendment.instructions);
    if (!canAskOperator(error)) throw error;
    await waitForDecision(agent, { ...step, name: `amendment of ${step.name}` }, attempt, error);
  }
}

function attribution({ by = '', note = '' }: { by?: string | undefined; note?: string | undefined }): string {
  return `${by === '' ? '' : ` (${by})`}${note === '' ? '' : `: ${note}`}`;
}

function canAskOperator(error: unknown): boolean {
  if (error instanceof SkippedByOperator || error instanceof IncidentTimedOut) return false;
  // A cancelled or expired agent must not wait for an operator.
  if (isCancelled(error) || CancellationScope.current().consideredCancelled) return false;
  return rootCause(error).type !== 'Agent.Aborted';
}
